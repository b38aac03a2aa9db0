// SPDX-License-Identifier: GPL-2.0-or-later
//
// The functions at a code address, with those inlined there.
#pragma once

#include "report/names/types.h"

namespace memspy::report::names {

class Code {
public:
    Code(Units& units, Types& types) : units_(units), types_(types) {}

    // Innermost first; empty if there is no debug information on `address`. If only the line is known, a
    // single frame without a function.
    std::vector<SourceFrame> frames(u64 address);

    // The function that holds the code, not a function inlined there.
    struct Placed {
        Unit* unit;
        Dwarf_Die die;
        CodeExtent range;  // the one around the address
    };
    std::optional<Placed> function_around(u64 address);
    // That function and the functions inlined at the address, outermost first.
    std::vector<Dwarf_Die> scopes(const Placed& function, u64 address) const;

private:
    struct FunctionRange {
        CodeExtent range;
        Dwarf_Die die;
    };
    const std::vector<FunctionRange>& functions(Unit& unit);
    void add_functions(Unit& unit, Dwarf_Die die, std::vector<FunctionRange>& functions, int depth);
    void add_inlined(Unit& unit, Dwarf_Die scope, u64 address, std::vector<Dwarf_Die>& chain) const;

    Units& units_;
    Types& types_;
    std::map<const Unit*, std::vector<FunctionRange>> functions_;  // by begin
};

}  // namespace memspy::report::names
