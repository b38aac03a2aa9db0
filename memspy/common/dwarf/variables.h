// SPDX-License-Identifier: GPL-2.0-or-later
//
// The name of the variable that a byte of a stack frame belongs to, from the debug information of the frame's
// module. A name is given only if it is certain: an optimised variable has its place only in a part of its
// function, and variables may share places. Arrays of variable length and memory from alloca are found by the
// pointer that holds their start.
#pragma once

#include "dwarf/function_list.h"
#include "dwarf/sections.h"
#include "dwarf/types.h"
#include "dwarf/unit.h"
#include "rt/text.h"

namespace memspy::dwarf {

// The greatest addresses at or below a byte, and inside its frame, that words of the frame and registers
// hold.
struct FramePointers {
    static constexpr unsigned kMostSlots = 4;
    u64 beyond_slots = 0;      // distance of the byte from the address in `slots`
    i64 slots[kMostSlots]{};   // distances from the frame's end
    u32 count = 0;             // of slots
    u32 registers = 0;         // by their DWARF numbers
    u64 beyond_registers = 0;  // distance of the byte from the address in `registers`
    bool operator==(const FramePointers&) const = default;
};

// All addresses are link-time addresses.
struct FrameByte {
    u64 pc = 0;  // in the frame: the running instruction, or the present call
    // The byte's distances from the three addresses that compilers use: the frame's end (CFA, the stack
    // pointer before the call), the stack pointer, and the frame pointer, or one of the constants below.
    i64 from_end = 0, from_stack_pointer = 0, from_frame_pointer = 0;
    u64 end = 0;    // the frame's end modulo kPage, because some functions align their frames
    u64 bytes = 1;  // bytes from there on; the name is that of a variable that holds all of them
    FramePointers pointers;
    // The one that has `pc`. Without it all functions of the unit are read until it is found.
    FunctionPlace function{};

    static constexpr u64 kPage = 4096;
    // The register does not point into the frame. So no place at a distance from it holds the byte.
    static constexpr i64 kNoFramePointer = i64{1} << 48;
    // Nobody has looked at the register: it is what the function's first instructions make of it, if they are
    // the usual ones.
    static constexpr i64 kUnknownFramePointer = kNoFramePointer + 1;
    // As from_stack_pointer, of a frame whose present size is not known: it counts as that of the function's
    // first instructions.
    static constexpr i64 kUnknownSize = i64{1} << 48;
    bool operator==(const FrameByte&) const = default;
};

// Appends "variable `buf`", "variable `rows[1].sum`", "padding of variable `row`"; for an inlined call,
// "variable `i` of g, inlined"; for memory from alloca, "memory from alloca, `p[3]`". Returns false if
// nothing is certain. `declared`, if there is one, gets the place of the declaration, the array whose elements
// have its `bytes`, and what the part points to, if it is a pointer.
struct DeclaredVariable {
    rt::Text file;  // without its folder; empty if not known
    u64 line = 0;
    ElementPart element, target;
};
bool add_variable(rt::Text& text, const Sections& sections, const FrameByte& byte,
                  DeclaredVariable* declared = nullptr);

// A variable with a certain place in a frame: parameters and variables of the function, and of functions
// inlined there.
struct ListedVariable {
    const char* name = nullptr;      // valid during the call
    const char* function = nullptr;  // the inlined one that it belongs to; null: the frame's own
    u64 entry = 0;                   // where the frame's own function begins; 0: not known
    i64 from_end = 0;                // of its first byte, as in FrameByte
    u64 bytes = 0;
    u64 line = 0;             // of its declaration
    u64 type = 0;             // where the description of its type is; 0: not known
    u64 scope = 0;            // and of the function or block around it
    bool points = false;      // is a pointer or a reference
    bool is_address = false;  // of the variable of that name
    u64 unit = 0, file = 0;   // for add_file_of() (static_list.h)
    DeclaredDimensions shape;
};
// For which frames the list is the same: those of code in [begin, end), if it does not depend on more.
struct FrameValidity {
    bool found = false;  // a function has that code
    u64 begin = 0, end = ~u64{0};
    bool by_size = false;  // on the frame's present size
    bool by_page = false;  // on the place of its end in a page
};
// Calls f for each of them at `frame.pc`; those of inner scopes come last. Of `frame`, everything that
// concerns one byte is ignored, but from_stack_pointer - from_end is the frame's present size, or
// kUnknownSize. Not among them are arrays of variable length, and variables of the compiler's own.
FrameValidity for_each_variable(const Sections& sections, const FrameByte& frame,
                                void (*f)(const ListedVariable&, void*), void* argument);
// The same for all code of the function that has `frame.pc`: every place of the frame that a variable has
// anywhere in it. A variable may be told several times, and two may have one place. `begin` and `end` are
// not set.
FrameValidity for_each_place(const Sections& sections, const FrameByte& frame,
                             void (*f)(const ListedVariable&, void*), void* argument);

// The same for a function whose description is known, with the compiler's own pointers (`this`, and
// without a name and a type those that stand for Fortran's arguments). Returns the code around
// `frame.pc` in which the same variables are there.
struct SameScope {
    u64 begin = 0, end = 0;
};
SameScope for_each_variable_of(const InfoUnit& unit, const Sections& sections, u64 function,
                               const FrameByte& frame, void (*f)(const ListedVariable&, void*),
                               void* argument);

}  // namespace memspy::dwarf
