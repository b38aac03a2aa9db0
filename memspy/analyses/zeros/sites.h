// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sites: load instructions, each with the type of its values, and the shape of their counters. No Valgrind
// here.
//
// instrument/zero_layout.h describes the counters of a site; they are a full account of the
// elements, from which `sum` makes Counts.
#pragma once

#include "analyses/zeros/zeros.h"
#include "instrument/zero_layout.h"

namespace memspy::zeros {

using instrument::counters_of;
using instrument::kMostCounters;
using instrument::SiteNumber;

struct Site {
    Address instruction;
    ValueType type;
    Uses uses;
};

// The site of loads of `type` by the instruction: one and the same whenever it is translated. Where the type
// is not known and another translation of the instruction knew it, it is taken from there.
SiteNumber site_of(Address instruction, ValueType type, const Uses& uses);
const Site& site(SiteNumber number);
u32 site_count();

// Counts the elements of one load, `data` as it stands in memory: for loads that are not counted inline.
void count(u64* counters, ValueType type, const void* data);

// What the counters say. Adds to *counts.
void sum(const u64* counters, ValueType type, LoadCounts* counts);

}  // namespace memspy::zeros
