// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls that were inlined: the lines from which the code at an address was called, and all of a file. The core
// knows them of what GCC compiles, but not of all that clang does.
#pragma once

#include "dwarf/sections.h"
#include "rt/text.h"

namespace memspy::dwarf {

struct InlinedCall {
    u32 depth = ~u32{0};  // of the calling function, as in dwarf/functions_at.h
    rt::Text function;    // its name, without parameters and scopes; empty: not known
    rt::Text folder, file;
    u64 line = 0;
};

// Goes on from `call` to the next outer call, at first to the innermost one, whose file is in none of the
// folders that `is_foreign` tells. `pc` is a link-time address. Returns false if there is none.
bool find_own_call(const Sections& sections, u64 pc, bool (*is_foreign)(const char* folder),
                   InlinedCall* call);

// A piece of code, at link-time addresses, that is a function's whose call at this line was inlined.
struct InlinedPiece {
    u64 begin = 0, end = 0;
    const char* function = nullptr;  // without parameters and scopes; null: not known
    const char *folder = "", *file = "";
    u64 line = 0;
    u32 level = 0;  // greater than that of the piece around it
};
// f(piece) for all of them, by units.
void list_inlined_calls(const Sections& sections, void (*f)(const InlinedPiece& piece, void*),
                        void* argument);

}  // namespace memspy::dwarf
