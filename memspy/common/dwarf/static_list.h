// SPDX-License-Identifier: GPL-2.0-or-later
//
// All static variables that a file's debug information declares: those of files, functions, classes,
// namespaces, modules and Fortran's COMMON blocks.
#pragma once

#include "dwarf/sections.h"
#include "rt/text.h"

namespace memspy::dwarf {

struct ListedStatic {
    const char* name = nullptr;      // texts are valid during the call
    const char* function = nullptr;  // whose static variable it is; null: none
    const char* block = nullptr;     // the innermost namespace, module or COMMON block; null: none
    bool is_common = false;          // a member of a COMMON block
    u64 division = 0;                // of which declaration of the block; else 0
    bool of_thread = false;          // thread-local
    u64 address = 0;                 // link-time; thread-local: in the storage of its module
    u64 bytes = 0;                   // 0: not known
    u64 line = 0;
    u64 unit = 0, file = 0;  // for add_file_of()
};

// A variable that several program units declare (COMMON) comes once for each. Files with more than
// kMostListed bytes of debug information have none: to read them takes as long as to run some programs.
inline constexpr u64 kMostListed = u64{64} << 20;
void for_each_static(const Sections& sections, void (*f)(const ListedStatic&, void*), void* argument);
// Appends the name of the file, without its folder.
void add_file_of(rt::Text& text, const Sections& sections, u64 unit, u64 file);

}  // namespace memspy::dwarf
