// SPDX-License-Identifier: GPL-2.0-or-later
//
// Measurements other than caches: memory, cores, arithmetic, system calls.
#pragma once

#include <vector>

#include "machine/clock.h"
#include "machine/figure.h"

namespace memspy::machine {

// Half of a line's round trip between two processors.
struct CorePair {
    int first = 0, second = 0;
    Figure<double> ns;
};

struct Rates {
    Figure<u64> page_size;
    Figure<double> memory_ns;        // one dependent load from memory
    Figure<double> bandwidth_one;    // GB/s read by one thread
    Figure<double> bandwidth_all;    // by one thread on each processor
    Figure<double> core_to_core_ns;  // the fastest pair
    std::vector<CorePair> pairs;     // of the first processors, at most kMostPairs
    Figure<double> integer_per_ns;   // independent additions
    Figure<double> floating_per_ns;  // independent double multiplications and additions
    Figure<double> system_call_ns;
    Figure<double> page_fault_ns;
};

constexpr int kMostPairs = 28;

Rates measure_rates(u64 page_size, u64 largest_cache, const Deadline& deadline);

}  // namespace memspy::machine
