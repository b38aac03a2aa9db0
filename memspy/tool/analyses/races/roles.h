// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the code of an access is, which decides what the access can be: data, or a signal between threads.
#pragma once

#include "places/place.h"

namespace memspy::races {

using places::Place;

enum class CodeRole : u8 {
    Unknown,   // not looked up yet
    Own,       // the program's
    Library,   // a library's of the system, or code of no file: its accesses to its own data are its own affair
    Atomic,    // inlined from an atomics library (std::atomic, Rust's, libc++'s)
    Threading  // of a run-time that makes threads wait and go on (libgomp, libomp, TBB, Go's)
};
CodeRole role_of(Address instruction);

// Code of a threading run-time that deals out work: threads that share a loop's iterations are not ordered by that.
bool deals_out_work(const Place& place);

}  // namespace memspy::races
