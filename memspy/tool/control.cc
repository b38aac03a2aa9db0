// SPDX-License-Identifier: GPL-2.0-or-later
#include "control.h"

#include <algorithm>
#include <iterator>

#include "analyses/all.h"
#include "instrument/core/call_stacks.h"
#include "instrument/core/policy.h"
#include "profile/output.h"
#include "vg/compat.h"

namespace memspy {
bool is_instrumentation_on() { return instrument::policy().enabled; }

void switch_instrumentation(bool on) {
    instrument::Policy& policy = instrument::policy();
    if (policy.enabled == on) return;
    if (on) {
        tell_all(&Analysis::resume);
        instrument::forget_calls();
    }
    policy.enabled = on;
    vg::discard_translations();
}

bool wants_profile() {
    if (was_given("memspy-out-file")) return true;
    return std::any_of(std::begin(kAnalyses), std::end(kAnalyses), [](const Analysis* analysis) {
        if (analysis->has_results == nullptr) return analysis->section != nullptr && analysis->wanted();
        return VG_(clo_verbosity) > 0 && analysis->has_results();
    });
}

void save_profile(bool rarely) {
    constexpr u32 kShare = 20;
    static u32 next = 0;  // milliseconds since the run's start
    const u32 begin = VG_(read_millisecond_timer)();
    if (rarely && begin < next) return;
    tell_all(&Analysis::checkpoint);
    if (wants_profile()) write_profile(profile::MadeBy::Dump);
    const u32 end = VG_(read_millisecond_timer)();
    next = end + kShare * (end - begin);
}

}  // namespace memspy
