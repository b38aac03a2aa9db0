// SPDX-License-Identifier: GPL-2.0-or-later
//
// Static variables as their source declares them, from the debug information of their module. Members of a
// Fortran COMMON block have no symbol of their own, and each program unit declares those that it uses. A
// module is read at the first question, and kept.
#pragma once

#include "rt/text.h"
#include "vg/modules.h"

namespace memspy::places {

// Texts are interned.
struct DeclaredStatic {
    u64 begin = 0, end = 0;  // link-time; thread-local: in the storage of the module
    const char* name = nullptr;
    const char* function = nullptr;  // whose static variable it is; null: none
    const char* block = nullptr;     // its namespace, module or COMMON block; null: none
    bool is_common = false;
    u64 line = 0;
    u64 unit = 0, file = 0;
};

// The variable at `address` (link-time); null if none is declared there. Only of the program's own modules.
const DeclaredStatic* find_declared(vg::ModuleId module, u64 address);

// The thread-local one at `offset` in the storage of the module.
const DeclaredStatic* find_declared_of_thread(vg::ModuleId module, u64 offset);

enum class MemberOf : u8 { Common, ThreadCommon, Equivalence };
// Of the symbol [*begin, *end) of a COMMON block, or of an EQUIVALENCE: its variable at `address`, and its bytes; null,
// and the bytes around that are in none, if there is none. (Link-time addresses; of a thread's block, offsets in the
// storage of the module.)
const DeclaredStatic* find_member(vg::ModuleId module, MemberOf what, u64 address, u64* begin, u64* end);

// The name of the file with the declaration, without its folder; empty if it is not known.
void add_declared_file(rt::Text& text, vg::ModuleId module, const DeclaredStatic& declared);

}  // namespace memspy::places
