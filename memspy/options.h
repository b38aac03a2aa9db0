// SPDX-License-Identifier: GPL-2.0-or-later
//
// The run's options, filled from the command line before the program starts and constant after.
// options.def is the one table of them; the help text and the manual's table come from it.
#pragma once

#include "rt/base.h"

namespace memspy {

enum class LeakCheck : u8 { No, Summary, Full };
enum class LeakResolution : u8 { Low, Medium, High };   // how many frames make two contexts equal: 2, 4, all

// Sets of leak kinds, one bit each.
enum LeakKindBit : u32 { kReachable = 1, kPossible = 2, kIndirect = 4, kDefinite = 8, kAllLeakKinds = 15 };
// Sets of reachability heuristics, one bit each.
enum HeuristicBit : u32 {
    kStdString = 1,
    kLength64 = 2,
    kNewArray = 4,
    kMultipleInheritance = 8,
    kAllHeuristics = 15
};

struct Options {
    bool defects = true;
    bool undef_value_errors = true;
    bool partial_loads_ok = true;
    bool show_mismatched_frees = true;
    bool show_realloc_size_zero = true;
    LeakCheck leak_check = LeakCheck::Full;
    LeakResolution leak_resolution = LeakResolution::High;
    u32 show_leak_kinds = kDefinite | kPossible;
    u32 errors_for_leak_kinds = kDefinite | kPossible;
    u32 leak_check_heuristics = kAllHeuristics;
    i64 freelist_vol = 20'000'000;       // bytes
    i64 freelist_big_blocks = 1'000'000; // bytes
};

const Options& options();

}  // namespace memspy
