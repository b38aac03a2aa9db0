// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the code of an access is, which decides what the access can be: data, or a signal between threads.
#pragma once

#include "places/place.h"

namespace memspy::races {

using places::Place;

enum class CodeRole : u8 {
    Unknown,  // not looked up yet
    Own,      // the program's
    Library,  // a library's of the system, or code of no file: its accesses to its own data are its own affair
    CLibrary,  // the C library's: the same, but for its functions that order threads
    Atomic,    // inlined from an atomics library (std::atomic, Rust's, libc++'s)
    Threading  // of a run-time that makes threads wait and go on (libgomp, libomp, TBB, Go's)
};
CodeRole role_of(Address instruction);

// Whether a sum that code of a threading run-time makes atomically, and whose result it does not use, is a signal. LLVM's
// libomp adds to flags of 8 bytes at its barriers, and to the number of the next ordered iteration; its other counters
// order nothing.
bool is_sum_a_signal(const Place& place, u32 bytes);
// Whether signals of code with that role order nothing: a threading run-time deals out work, as iterations of a loop; the C
// library guards its own data, as malloc's.
bool orders_nothing(CodeRole role, const Place& place);

}  // namespace memspy::races
