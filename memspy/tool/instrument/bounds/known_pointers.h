// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pointers that are known to have been made from a variable's address, by the place that holds them: a
// pointer variable of a frame, or a register that passes an argument. Generated code writes and reads the
// entries; one is believed only if the place holds the very value that was noted.
//
// The table is small and forgets: a place that meets another one's entry takes it. What is forgotten is not
// checked.
#pragma once

#include "instrument/core/emitter.h"
#include "places/bounds.h"

namespace memspy::instrument {

struct KnownPointer {
    u64 key = 0;               // of its place; 0: free
    u64 value = 0;             // the pointer
    u64 begin = 0, bytes = 0;  // of the variable
    const places::VariableBounds* variable = nullptr;
    u64 unused[3] = {};
};
static_assert(sizeof(KnownPointer) == 64);

// A place is an address below 2^47 and, above it, whose it is: a function's number, so that another
// function's frame there does not find it, or kArgument, where the address is the end of the called
// function's frame plus the argument's number.
inline constexpr u64 kOwnerShift = 48, kArgument = 0xffff;
inline u64 owner_of(const places::PlainFunction& function) { return function.number() % (kArgument - 1) + 1; }
// Added to it, so that arguments and the variables that lie where a frame ends have different entries.
inline constexpr u64 kArgumentsAt = 1 << 14;
inline constexpr u32 kArgumentRegisters = 6;
inline constexpr u32 kResult = kArgumentRegisters;  // in place of an argument: what a function returns

// An entry as values of a translation.
struct PointerCode {
    IRExpr* known = nullptr;  // Ity_I1: the entry is this place's, and has its value; null: it is, always
    IRExpr *begin = nullptr, *bytes = nullptr, *variable = nullptr;
};

// The address of the entry for the place.
IRExpr* emit_entry(Emitter& emit, IRExpr* place);
PointerCode emit_lookup(Emitter& emit, IRExpr* entry, IRExpr* place, u64 owner, IRExpr* value);
void emit_note(Emitter& emit, IRExpr* entry, IRExpr* place, u64 owner, IRExpr* value,
               const PointerCode& pointer);
void emit_forget(Emitter& emit, IRExpr* entry);

// What is known of an argument, when a function begins whose frame will end at `frame_end`; null: nothing.
const KnownPointer* known_argument(Address frame_end, u32 number, u64 value);

}  // namespace memspy::instrument
