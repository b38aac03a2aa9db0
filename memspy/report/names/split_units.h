// SPDX-License-Identifier: GPL-2.0-or-later
//
// Split debug information (-gsplit-dwarf): a compilation unit in the module is a skeleton with addresses and
// the line table; everything else is in a .dwo file or, packed with others, in a .dwp file. libdw reads .dwo
// files but (up to 0.191) no .dwp, and looks for .dwo only where the compiler was told to put them. So both
// are found here: a unit of a .dwp becomes an ELF image of its own, whose section headers point at the unit's
// share of each section of the mapped file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/names/dwarf_file.h"

namespace memspy::report::names {

class DwpFile;

class SplitUnits {
public:
    // `binaries`: the module, and the file with its debug information; `dirs`: other folders to search for
    // .dwo and .dwp files.
    SplitUnits(std::vector<std::string> binaries, std::vector<std::string> dirs);
    ~SplitUnits();

    // The other half of a skeleton unit. If it is not found: none, and an entry in `missing`.
    std::optional<Dwarf_Die> find(Dwarf_Die skeleton, u64 id, std::vector<std::string>& missing);

    // A type by its signature, in the .dwp of the unit of `user`: types that several units share are there
    // once.
    std::optional<Dwarf_Die> type_by_signature(Dwarf* user, u64 signature);

private:
    std::optional<Dwarf_Die> in_package(u64 id);
    std::optional<Dwarf_Die> in_file(const std::string& path, u64 id, bool& other_build);

    std::vector<std::string> binaries_, dirs_;
    std::vector<std::unique_ptr<DwpFile>> packages_;
    bool packages_opened_ = false;
    std::map<std::string, std::unique_ptr<DwarfFile>> files_;
};

// The unit's own DIE in `dwarf` if its kind is `wanted` and, for units with a number, it is `id`. For a type
// unit, the type.
std::optional<Dwarf_Die> find_unit(Dwarf* dwarf, int wanted, u64 id);

}  // namespace memspy::report::names
