// SPDX-License-Identifier: GPL-2.0-or-later
//
// Frames: the code addresses of contexts of the core and of places.
#pragma once

#include "places/place.h"
#include "vg/vg.h"

namespace memspy::places {

// The return addresses of a context, innermost first, and their number.
struct Frames {
    Addr* addresses;
    u32 count;
};
Frames frames_of(ExeContext* context);

// The place's instruction and those that called its function, innermost first, `most` at most: their number.
u32 code_of(const Place& place, Addr* code, u32 most);
// Whether it is one of the system's libraries, or memspy's own; whether code is in one.
bool is_library_file(const char* module);
bool is_library_code(DiEpoch epoch, Addr a);
bool is_library_code(Address instruction);
// Whether it is code of a library that is linked into a static program: without lines, where the program has
// some.
bool is_linked_in(Address instruction);

}  // namespace memspy::places
