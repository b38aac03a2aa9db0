// SPDX-License-Identifier: GPL-2.0-or-later
//
// The variables in a module's own symbol table. The core knows most of them; what it leaves out are symbols
// of binding STB_GNU_UNIQUE (C++: inline variables, static members of templates), those in the sections of
// large data (.lbss, .ldata) and all thread-local ones.
//
// A table is read when the first question on its module is asked, and stays. It has one entry of 24 bytes for
// each variable; names are read from the file when an address turns out to be theirs.
#pragma once

#include "vg/modules.h"

namespace memspy::vg {

struct DataSymbol {
    const char* name = nullptr;  // interned, as in the file (C++: mangled)
    u64 start = 0;               // link-time address; of a thread-local one from the start of its block
    usize size = 0;
};

// The variable that has `address` (link-time).
bool find_data_symbol(ModuleId module, u64 address, DataSymbol* symbol);
// The thread-local variable that has the byte at `offset` of the module's block.
bool find_tls_symbol(ModuleId module, u64 offset, DataSymbol* symbol);

}  // namespace memspy::vg
