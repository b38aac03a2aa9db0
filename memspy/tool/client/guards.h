// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory that the program must not write while a library owns it (the buffer of an MPI request). While a
// guard stands, the shadow says that its bytes are Unaddressable, so each access of generated code and of
// system calls comes to the analysis of defects, which asks here before it judges. A store is passed to the
// owner's judge; a load gets the bytes' own states.
//
// Guards stand only while the library does not run: whoever raises them lifts them before. Those bytes get
// their state back that still are Unaddressable. Memory that is freed or unmapped loses its guards.
#pragma once

#include "rt/base.h"

namespace memspy::client {

enum class LoadVerdict : u8 {
    Fine,
    Unset,  // the bytes are the owner's, and whatever it has stored counts as undefined
    Often,  // the owner is not worth its guards any more, which are lifted
    Told    // it was a mistake, and has been reported: they are lifted, and the values count as defined
};

struct GuardJudge {
    // `thread` stores to `a`, which `owner` has guarded. Its guards are lifted.
    void (*stores)(u32 thread, Address a, u32 owner) = nullptr;
    // A load from `a`, memory of `owner`. Code that does so is tracked, which takes some twenty times as long.
    LoadVerdict (*loads)(Address a, u32 owner) = nullptr;
    // Of the running thread; frames are not guarded without it.
    Address (*top_of_stack)() = nullptr;
};
// Of this owner an access lifts the guard that it meets, and no others; a load does so, too.
inline constexpr u32 kOwnsPieces = 1u << 30;
void use_guards(const GuardJudge& judge);  // once, before the program runs

// Returns false if the bytes' states change often, if some are invalid or guarded already, or if stores to
// them are not checked.
bool raise_guard(Address begin, usize bytes, u32 owner);
void lift_guards();
void lift_guards(Address begin, usize bytes);  // those that share bytes with the range

bool guards_stand();
// The states of up to 32 bytes as they are without guards, for a load that met `states`.
u64 states_behind_guards(Address a, unsigned bytes, u64 states);
// Call for a store before its states are read: guards that it meets are lifted, and their judge hears of it.
void meet_guards(u32 thread, Address a, usize bytes);

}  // namespace memspy::client
