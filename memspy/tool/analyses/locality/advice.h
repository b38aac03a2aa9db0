// SPDX-License-Identifier: GPL-2.0-or-later
//
// What to change, where counts prove that it helps. All of it is about caches, so nothing is said of what
// fits the first one (`caches[0]`) anyway, or of objects and loops with few of the accesses.
//
//   Interchange  a loop has a step of a cache line or more where the loop around it has a shorter one; with the two
//                interchanged, all that they access together touches half the lines, or less
//   Tiles        the same, but something else in the loop is the other way round: square blocks of both
//   Columns      few bytes of each row of an object are used, one row after the other, and the rows are long
//   HotField     the same with short rows: structures of which few members are used, or have many of the accesses
//   Blocks       words of an object are used again after a distance just above the size of a cache, in regular steps,
//                by the same loop or by loops one after the other
#pragma once

#include "advice/loops.h"
#include "analyses/locality/scores.h"
#include "analyses/locality/walks.h"

namespace memspy::locality {

using AdviceKind = advice::LoopRemedy;

struct LocalityAdvice {
    AdviceKind kind{};
    u32 object = 0, function = 0, line = 0;
    u64 accesses = 0;       // that it concerns
    u64 step = 0;           // between accesses, in bytes; the length of a row
    u64 shift = 0;          // Interchange, Tiles: of the loop around it
    u64 used = 0;           // HotField, Columns: bytes of a row
    u64 cache = 0;          // Blocks: bytes of it
    u64 low = 0, high = 0;  // Blocks: distances in bytes
    u32 loops = 1;          // Blocks: that go through the object one after the other
};

// An object, as far as advice needs it.
struct ObjectReuse {
    u32 object = 0;
    u64 accesses = 0;
    Reuses reuses;
};

struct AdviceInput {
    const rt::Vector<ObjectWalk>* walks = nullptr;
    const rt::Vector<ObjectReuse>* objects = nullptr;
    const rt::Vector<u64>* caches = nullptr;  // bytes, smallest first; at least one
};
// One for each loop, or object, at most; those that concern most accesses first.
void find_advice(const AdviceInput& input, rt::Vector<LocalityAdvice>& advice);

}  // namespace memspy::locality
