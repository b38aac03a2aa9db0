// SPDX-License-Identifier: GPL-2.0-or-later
//
// Caches and translation buffers, as a search finds them.
#pragma once

#include <vector>

#include "machine/figure.h"

namespace memspy::machine {

struct CacheLevel {
    int level = 0;
    Figure<u64> size;  // bytes
    // What it held at least where its size was not found; estimated. How much of it other programs use is not
    // known.
    Figure<u64> at_least;
    Figure<u64> line;  // bytes
    Figure<u64> ways;
    Figure<double> latency_ns;
    bool exclusive = false;  // holds what the level before evicts, and nothing that this one has
};

struct TlbLevel {
    int level = 0;
    Figure<u64> entries;
    Figure<double> extra_ns;  // extra time of a load whose page is not in this level
};

// One point of the staircase.
struct CurvePoint {
    u64 lines = 0;  // of 64 bytes
    double ns = 0;
};

struct MeasuredHierarchy {
    std::vector<CacheLevel> caches;
    std::vector<TlbLevel> tlbs;
    std::vector<CurvePoint> curve;
};

}  // namespace memspy::machine
