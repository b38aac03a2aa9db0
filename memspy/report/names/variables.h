// SPDX-License-Identifier: GPL-2.0-or-later
//
// All variables of a module with a fixed link-time address: global, static, static members, static in
// functions.
#pragma once

#include "report/names/layout.h"

namespace memspy::report::names {

class Variables {
public:
    // `symbol_size` returns the linker's size of the symbol at an address, or 0, for types that are only
    // declared.
    Variables(Units& units, Types& types, u64 (*symbol_size)(void* module, u64 address), void* module);

    struct VariableEntry {
        u64 address = 0, size = 0;
        Dwarf_Die die{};
        Unit* unit = nullptr;
    };
    // Those with a byte in the range.
    std::vector<const VariableEntry*> in(CodeExtent range) const;

private:
    void add_below(Unit& unit, Dwarf_Die die, int depth);

    Units& units_;
    Types& types_;
    std::vector<VariableEntry> entries_;  // by address, disjoint
};

}  // namespace memspy::report::names
