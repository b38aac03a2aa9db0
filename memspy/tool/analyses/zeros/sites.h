// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sites: load instructions, each with the type of its values, and the layout of their counters. No Valgrind
// here.
//
// instrument/zeros/zero_layout.h describes the counters of a site. They are a full account of the elements,
// from which `sum` makes LoadCounts.
#pragma once

#include "analyses/zeros/code_report.h"
#include "instrument/zeros/zero_layout.h"

namespace memspy::zeros {

using instrument::counters_of;
using instrument::SiteNumber;

struct Site {
    Address instruction;
    ValueType type;
    Uses uses;
};

// The site of loads of `type` by the instruction: the same each time the instruction is translated. An
// unknown type is replaced by the one that another translation of the instruction found.
SiteNumber site_of(Address instruction, ValueType type, const Uses& uses);
const Site& site(SiteNumber number);
u32 site_count();

// Counts the elements of one load, for loads that are not counted inline. `data` is as in memory.
void count(u64* counters, ValueType type, const void* data);

// Adds the loads that the counters have counted to *counts.
void sum(const u64* counters, ValueType type, LoadCounts* counts);

}  // namespace memspy::zeros
