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
    Memory,   // what stands for memcpy and its like, which work for whoever calls them
    Library,  // a library's of the system, or code of no file: its accesses to its own data are its own affair
    Heap,     // its allocator's: memory changes its owner there, which is told otherwise
    CLibrary,   // the C library's: the same, but for its functions that order threads
    Loader,     // fills in what a file needs of others, at the first call of a function at the latest
    Atomic,     // inlined from an atomics library (std::atomic, Rust's, libc++'s)
    Threading,  // of a run-time that makes threads wait and go on (TBB, Go's)
    OpenMp      // libgomp's or libomp's, whose calls are known (openmp.h)
};
CodeRole role_of(Address instruction);
inline bool is_of_c_library(CodeRole role) { return role == CodeRole::CLibrary || role == CodeRole::Loader; }

// Code of a stripped file whose source is not there, and which has atomic updates, or code that a program generates:
// nothing tells an atomic load or store from a plain one.
bool is_opaque(Address instruction);
// There is an atomic update.
void note_atomic(Address instruction);

// Functions on mutexes of the C library.
bool is_mutex_code(Address instruction);

// Whether signals of code with that role order nothing: the C library guards its own data, as malloc's; of
// OpenMP's words only those that order the iterations of a loop are read.
bool orders_nothing(CodeRole role, const Place& place);

}  // namespace memspy::races
