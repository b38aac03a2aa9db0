// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where variables are while code runs. libdw reads the lists of a module; those of split units, whose
// addresses are indices into tables of the module, are read here.
#pragma once

#include <vector>

#include "report/names/units.h"

namespace memspy::report::names {

// The operations of the variable's location at an address of code; empty if it has none there. Addresses are
// those of the module: DW_OP_addr. Of a split unit, operations that no caller knows end the list with
// DW_OP_nop.
std::vector<Dwarf_Op> location_at(const Units& units, const Unit& unit, Dwarf_Die variable, u64 address);

}  // namespace memspy::report::names
