// SPDX-License-Identifier: GPL-2.0-or-later
//
// The compilation units of one module, with the parts that libdw does not handle for split ones: addresses
// and ranges in a .dwo are indices into tables of the module. Also functions that go from one DIE to another
// in the same way for all units.
#pragma once

#include <elfutils/libdw.h>

#include <optional>
#include <string>
#include <vector>

#include "report/names/answers.h"
#include "report/names/split_units.h"

namespace memspy::report::names {

struct CodeExtent {
    u64 begin, end;
    bool contains(u64 a) const { return a >= begin && a < end; }
};

struct Unit {
    Dwarf_Die skeleton;  // has the line table
    u64 id = 0;          // of a split unit
    bool split = false;
    // The DIE with everything else; none if it was looked for and not found. Read by Units::die.
    std::optional<Dwarf_Die> die;
    bool looked_for = false;
};

class Units {
public:
    // `status.incomplete` gets an entry for each part that is not found.
    Units(Dwarf* dwarf, SplitUnits& split, DebugInfoStatus& status);

    std::vector<Unit>& all() { return units_; }
    // The unit that has code at `address`, or null.
    Unit* with_code(u64 address);

    // The unit's DIE with children; null if it is in a missing part.
    Dwarf_Die* die(Unit& unit);

    // The addresses of the code of a DIE of `unit`.
    std::vector<CodeExtent> ranges(Unit& unit, Dwarf_Die die) const;
    // An address by its index in the unit's part of the module's table.
    std::optional<u64> indexed_address(const Unit& unit, u64 index) const;
    // The address that an attribute has, such as DW_AT_low_pc of a skeleton.
    std::optional<u64> code_address(const Unit& unit, Dwarf_Die die, unsigned attribute) const;
    // The address of a variable if it is the same for the whole run.
    std::optional<u64> static_address(Unit& unit, Dwarf_Die variable) const;

    // The file that an attribute (DW_AT_decl_file, DW_AT_call_file) of a DIE of `unit` names.
    SourceLine source(const Unit& unit, Dwarf_Die die, unsigned file_attribute,
                      unsigned line_attribute) const;
    // Where a DIE of any compilation unit is declared; not known for parts that dwz moved, and for type
    // units.
    SourceLine declared(Dwarf_Die die) const;

    // The DIE that an attribute refers to, directly or by a type's signature.
    std::optional<Dwarf_Die> follow(Dwarf_Die die, unsigned attribute) const;
    // The type of a DIE, found through its abstract origin or declaration; none for void.
    std::optional<Dwarf_Die> type(Dwarf_Die die) const;

private:
    std::optional<u64> address(const Unit& unit, Dwarf_Attribute attribute) const;
    void list_code();
    std::vector<CodeExtent> split_ranges(const Unit& unit, Dwarf_Attribute attribute) const;
    std::vector<CodeExtent> range_list(const Unit& unit, Bytes lists, u64 at) const;

    SplitUnits& split_;
    DebugInfoStatus& status_;
    Bytes addresses_, old_ranges_;
    std::vector<CodeExtent> allocated_;  // sections that are there at run time
    std::vector<Unit> units_;
    struct UnitRange {
        CodeExtent range;
        std::size_t unit;
    };
    std::vector<UnitRange> code_;  // by begin; made at the first question about code
    bool code_listed_ = false;
    mutable std::size_t last_declared_ = 0;  // unit of the last answer: the next one is mostly the same
};

// For a DIE that is an instance or definition: the DIE with the name and the scope.
Dwarf_Die origin_of(const Units& units, Dwarf_Die die);
// The text of an attribute, of the DIE or its origin; "" if there is none.
std::string text_of(Dwarf_Die die, unsigned attribute);
std::optional<u64> number_of(Dwarf_Die die, unsigned attribute);
bool has_flag(Dwarf_Die die, unsigned attribute);

// Calls f(child) for each child, until it returns false.
template <typename F>
void for_each_child(Dwarf_Die die, F f) {
    Dwarf_Die child;
    if (dwarf_child(&die, &child) != 0) return;
    do {
        if (!f(child)) return;
    } while (dwarf_siblingof(&child, &child) == 0);
}

SourceLine make_source(const char* path, const char* folder, unsigned line);

}  // namespace memspy::report::names
