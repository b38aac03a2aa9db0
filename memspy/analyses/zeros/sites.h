// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sites: load instructions, each with the type of what it loads, and the shape of their counters. No Valgrind
// here.
//
// The counters of a site are u64, one behind the other:
//
//   integer of n bytes  n + 1: values that have 0, 1, … n leading zero bytes
//   float               32: values by the set of their redundant cells
//   double              32 by the lower five cells, 32 by the upper five, 1 for all cells redundant
//
// That is a full account of the elements, from which `sum` makes Counts.
#pragma once

#include "analyses/zeros/zeros.h"

namespace memspy::zeros {

enum class SiteNumber : u32 {};

struct Site {
    Address instruction;
    ValueType type;
    Uses uses;
};

constexpr u32 counters_of(ValueType type) {
    if (!type.is_float()) return type.bytes() + 1;
    return type.bytes() == 4 ? 32 : 65;
}
inline constexpr u32 kMostCounters = 65;

// The site of loads of `type` by the instruction: one and the same whenever it is translated. Where the type
// is not known and another translation of the instruction knew it, it is taken from there.
SiteNumber site_of(Address instruction, ValueType type, const Uses& uses);
const Site& site(SiteNumber number);
u32 site_count();

// Counts the elements of one load, `data` as it stands in memory: for what is not counted inline.
void count(u64* counters, ValueType type, const void* data);

// What the counters say. Adds to *counts.
void sum(const u64* counters, ValueType type, Counts* counts);

}  // namespace memspy::zeros
