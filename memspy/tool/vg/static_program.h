// SPDX-License-Identifier: GPL-2.0-or-later
//
// A statically linked program has no dynamic linker that would load the core's preload library and ours, which
// hold the functions that replace malloc and those on strings. So they are loaded here, as the dynamic linker
// would do it. The program must have its symbols: nothing else tells where its malloc is.
#pragma once

namespace memspy::vg {

// Call when the program is in memory and the core has not read its symbols; loads once. Returns false for a
// program with a dynamic linker, or without symbols.
bool load_into_static_program();

// Whether they are loaded, into the program whose file this is. The functions to be replaced are in it then.
bool is_static_program(const char* file);
bool is_static_program_loaded();

}  // namespace memspy::vg
