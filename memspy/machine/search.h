// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds caches and translation buffers from the time that walks take (Saavedra and Smith 1995; Yotov, Pingali and
// Stodghill 2005), for caches that are indexed by physical addresses too, whose pages the system chose as it liked.
//
// As a walk over more and more lines in a row grows, the time of a load climbs a staircase, one stretch for each cache.
// Behind a stretch, a walk over lines at one offset of many pages overflows sets of that cache; pages are taken out of it
// as long as it still does. What is left are ways + 1 lines of one set, and from these follow
//   ways    one less; without any of its lines the walk fits
//   line    the smallest distance by which half of 2 x ways such lines must move for all to fit
//   sets    how often one of some lines anywhere is of that set: with k of them, k times in `sets` walks
//   size    ways x sets x line, with which the staircase must agree
// This needs no knowledge of how an address chooses its set. A figure counts only if each of these steps came out the
// same in both directions; otherwise it is not found.
#pragma once

#include <vector>

#include "machine/walk.h"

namespace memspy::machine {

struct CacheLevel {
    int level = 0;
    Figure<u64> size;  // bytes
    Figure<u64> line;  // bytes
    Figure<u64> ways;
    Figure<double> latency_ns;
};

struct TlbLevel {
    int level = 0;
    Figure<u64> entries;
    Figure<double> extra_ns;  // extra time of a load when this level does not have its page
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

MeasuredHierarchy search(Walker& walker, u64 seed = 1);

}  // namespace memspy::machine
