// SPDX-License-Identifier: GPL-2.0-or-later
//
// The variables in a module's own symbol table. The core has most of them, but not symbols of binding
// STB_GNU_UNIQUE (C++: inline variables, static members of templates), those in the sections of large data
// (.lbss, .ldata), and thread-local ones.
//
// A table is read at the first question about its module, and kept. It has one entry of 24 bytes for each
// variable; names are read from the file when they are asked for.
#pragma once

#include "vg/modules.h"

namespace memspy::vg {

struct DataSymbol {
    const char* name = nullptr;  // interned, as in the file (C++: mangled)
    u64 start = 0;               // link-time address; thread-local: offset in its block
    usize size = 0;
};

// The variable at `address` (link-time).
bool find_data_symbol(ModuleId module, u64 address, DataSymbol* symbol);
// `a`, which is in no variable, and the bytes around it that are in none either, in the module's own table
// and the core's.
struct SymbolGap {
    Address begin = 0, end = ~Address{0};
};
SymbolGap symbol_gap(ModuleId module, Address a);
// The thread-local variable at `offset` of the module's block.
bool find_tls_symbol(ModuleId module, u64 offset, DataSymbol* symbol);

}  // namespace memspy::vg
