// SPDX-License-Identifier: GPL-2.0-or-later
//
// How the replay of a run went: what reports say of its exactness.
#pragma once

#include "rt/base.h"

namespace memspy::contention {

struct ReplayStatus {
    bool several_threads = false;  // a second thread was started; without one there is nothing to report
    u32 threads = 1;               // ever
    u64 merged = 0;                // accesses that went through the merge, to shared lines
    u64 forced = 0;                // how often the horizon was forced because the log was full
    u64 lifted = 0;                // threads raised by that; with 0 the model is exact
    u64 log_bytes = 0;             // size of the access log now
    u64 unlogged = 0;              // accesses that were passed as quiet ones, without a record
    u64 missing = 0;               // at most so many events more, because of them
};

}  // namespace memspy::contention
