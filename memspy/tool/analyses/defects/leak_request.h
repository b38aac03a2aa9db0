// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a search for leaks is asked for, and the amounts that it finds.
#pragma once

#include "options.h"
#include "rt/base.h"

namespace memspy::defects {

// The records that a search shows, by comparison with the search before it.
enum class LeakDelta : u8 { Any, Increased, Changed, New };

struct LeakRequest {
    LeakCheck mode = LeakCheck::Full;  // Full shows records, Summary the totals only
    LeakDelta delta = LeakDelta::Any;
    u32 show_kinds = 0;         // LeakKindBits to show
    u32 error_kinds = 0;        // LeakKindBits to count as errors
    u32 heuristics = 0;         // HeuristicBits
    u64 max_records = ~u64{0};  // show only the N largest
    bool from_monitor = false;  // hints name the arguments of the monitor command instead of options
};

struct LeakAmount {
    u64 bytes = 0;
    u64 blocks = 0;
};
// Suppressed blocks are in no other member.
struct LeakCounts {
    LeakAmount definite, indirect, possible, reachable, suppressed;
};
}  // namespace memspy::defects
