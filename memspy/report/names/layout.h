// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bytes of a variable, divided by its type.
#pragma once

#include <set>
#include <string_view>

#include "report/names/types.h"

namespace memspy::report::names {

// `path` names an object of `type` at `address`.
struct LayoutObject {
    LayoutObject(std::string path_of, Dwarf_Die type_of, u64 address_of, u64 size_of)
        : path(std::move(path_of)), type(type_of), shown_type(type_of), address(address_of), size(size_of) {}
    std::string path;
    Dwarf_Die type;
    Dwarf_Die shown_type;  // of the object that `path` names; of a wrapper with only this object in it
    u64 address, size;
    // For a base class that is skipped in paths: names that mean something else without `qualifier` before
    // them.
    std::string qualifier;
    std::set<std::string> hidden;
};

// Adds all fields of `object` with a byte in `range`, at most `limit`, in the order of the type.
void add_fields(Types& types, const LayoutObject& object, CodeExtent range, std::size_t limit,
                std::vector<MemberPath>& fields);

// Names that are reserved for the compiler and its libraries by the rules of C and C++.
bool is_reserved(std::string_view name);

// The fields' paths as the program's author knows them: without members of a library's types, lock_ rather
// than lock_.__data.__lock. Each once; none if a field has no name.
std::vector<std::string> own_paths(const std::vector<MemberPath>& fields);

// The smallest part that holds all of `range`, or the only part that it touches.
VariablePart find_part(Types& types, const LayoutObject& object, CodeExtent range);

}  // namespace memspy::report::names
