// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text of places in the code, and which code asked for a block.
#pragma once

#include "places/frames.h"
#include "places/object.h"
#include "rt/text.h"
#include "vg/vg.h"

namespace memspy::places {

// A variable of one of the system's libraries, or of memspy's own.
bool is_library_data(const Object& object);
// A variable of the program's own modules, or a block that they have asked for.
bool is_own_variable(const Object& object);
// Code of a library, or in a function of the system's headers that was inlined into the program's code.
bool is_library_source(Address instruction);
// Where the source has it: of the functions that are inlined there the innermost one of the program's own. Of a
// library's code, and where all come from the system's headers, the innermost. Texts are interned.
struct OwnSource {
    const char* folder = nullptr;  // null: not known
    const char* file = nullptr;
    u32 line = 0;
};
bool find_source(Address instruction, OwnSource* found);
// Prints so many frames as the core does in text, but for those of the system's headers behind the first: what the C++
// library's templates have between the program's functions fills screens, and says nothing.
void print_own_frames(ExeContext* context, u32 most);
// Appends "worker (file.c:12)".
void describe_instruction(rt::Text& text, Address instruction);
// The line of the program's own code that makes the access, or that called the library that makes it.
void describe_place(rt::Text& text, const Place& place);
// The innermost place on the path to it that is not in a system library; the place itself if there is none.
Place own_place(const Place& place);
// The program's own code that asked for a block: the instruction, which of the functions that are inlined
// there (dwarf/allocations.h), and the line; 0 if not known.
struct AllocatingCode {
    Address address = 0;
    u32 depth = 0;
    u64 line = 0;
    bool foreign = false;  // a library's that is compiled into the program
    Address called = 0;    // code of the function that it called there, inlined or not; 0: the allocator
};
// Sets `described` to "worker (file.c:12)". If no code of the program's own asked for the block, to that of
// the library's code, or to nothing.
AllocatingCode allocating_code(ContextId allocated, rt::Text* described);
// Appends the function that the block was allocated in, in the same form.
void describe_allocation(rt::Text& text, ContextId allocated);

}  // namespace memspy::places
