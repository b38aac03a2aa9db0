// SPDX-License-Identifier: GPL-2.0-or-later
//
// Types and names as a programmer would write them, and the parts of a type: members at their offsets, an
// array's elements.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/names/units.h"

namespace memspy::report::names {

// A member, a base class, or one element of an array.
struct Component {
    enum class ComponentKind { Member, Base, Element } kind = ComponentKind::Member;
    std::string name;  // "" for members without a name; for a base its class
    Dwarf_Die type{};
    Dwarf_Die declaration{};     // of a member
    u64 offset = 0, size = 0;    // bytes; for a bit-field all bytes that it touches
    unsigned bit = 0, bits = 0;  // for a bit-field: from the lowest bit of the first byte; else 0
};

struct ArrayShape {
    Dwarf_Die element{};
    u64 element_size = 0;
    std::vector<u64> counts;        // for each dimension; 0 if not known (possible only for the first)
    std::vector<long long> first;   // the lowest index of each dimension
    bool first_is_fastest = false;  // Fortran: elements of the first dimension are neighbours
};

class Types {
public:
    explicit Types(const Units& units) : units_(units) {}

    // "" for an unnamed type.
    std::string name(std::optional<Dwarf_Die> type);
    // A function or variable with its namespaces, classes and functions.
    std::string qualified_name(Dwarf_Die die);
    // Fortran: the COMMON block that a variable is a member of.
    std::optional<Dwarf_Die> common_block(Dwarf_Die variable);
    // With parameters if the language has them in linker names.
    std::string function_name(Dwarf_Die function);

    // Without qualifiers.
    Dwarf_Die unqualified(Dwarf_Die type) const;
    // Without typedefs and qualifiers.
    Dwarf_Die bare(Dwarf_Die type) const;
    // 0 if not known: only declared, or an array of unknown length.
    u64 size(Dwarf_Die type) const;

    ValueForm form(Dwarf_Die type) const;

    SourceLine declared(Dwarf_Die die) const { return units_.declared(die); }

    // Both take a bare type. Bases whose offset is only known at run time (virtual ones) are left out.
    std::vector<Component> components(Dwarf_Die type);
    ArrayShape shape(Dwarf_Die array) const;

    static bool is_aggregate(Dwarf_Die bare_type);  // struct, class or union
    static bool is_array(Dwarf_Die bare_type);

private:
    std::string declare(std::optional<Dwarf_Die> type, const std::string& inner, int depth);
    std::string scope_of(Dwarf_Die die);

    const Units& units_;
    std::map<const void*, std::string> qualified_;  // by DIE address
};

// The DIEs around one, outermost first, without the unit's own. libdw has no way up. Children are in the file
// in order, so each step goes into the last child that does not start behind `die`.
std::vector<Dwarf_Die> parents_of(Dwarf_Die die);

// Demangles a linker name; other text is unchanged.
std::string demangled(const std::string& name);

}  // namespace memspy::report::names
