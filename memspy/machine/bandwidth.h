// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bytes read from memory a nanosecond, by loads of the widest vectors that the processor has: narrow ones
// wait for the core, not for memory.
#pragma once

#include <vector>

#include "machine/chase.h"
#include "machine/clock.h"
#include "machine/figure.h"

namespace memspy::machine {

// The sum of all words, which a caller uses to keep the loads. `bytes`: a multiple of 512; aligned as a line
// is.
u64 read_in_order(const char* from, u64 bytes);

// GB/s of one thread that reads `memory` in order, of which its caches hold little.
Figure<double> bandwidth_of_one(const Mapping& memory, const Deadline& deadline);
// GB/s of a thread on each of the processors, all at once; each reads memory of its own, which it touched
// first, so that it is on its node. `bytes` for all of them, or more: each has kLeastPart.
Figure<double> bandwidth_of_all(const std::vector<int>& processors, u64 bytes, const Deadline& deadline);

// Threads that share 32 MiB of cache are rarely fewer than eight where they are many; their parts are several
// times as large.
constexpr u64 kLeastPart = u64{16} << 20;

}  // namespace memspy::machine
