// SPDX-License-Identifier: GPL-2.0-or-later
#include "control.h"

#include <algorithm>
#include <iterator>

#include "analyses/all.h"
#include "client/following.h"
#include "client/guards.h"
#include "instrument/core/call_stacks.h"
#include "instrument/core/policy.h"
#include "memspy.h"
#include "monitor.h"
#include "profile/output.h"
#include "vg/compat.h"

namespace memspy {
namespace {

Bool handle_request(ThreadId thread, UWord* arguments, UWord* result) {
    switch (arguments[0]) {
        case MEMSPY_REQ_START_INSTRUMENTATION: switch_instrumentation(true); break;
        case MEMSPY_REQ_STOP_INSTRUMENTATION: switch_instrumentation(false); break;
        case MEMSPY_REQ_MAY_BE_KILLED:
            client::lift_guards();  // a library that ends the program does not come back to lift them
            save_profile(arguments[1] != 0);
            break;
        case VG_USERREQ__GDB_MONITOR_COMMAND:
            *result = handle_monitor_command(thread, reinterpret_cast<const char*>(arguments[1])) ? 1 : 0;
            return *result != 0;
        default:
            if (client::handle_request(thread, arguments, result)) return True;
            for (const Analysis* analysis : kAnalyses)
                if (analysis->client_request != nullptr &&
                    analysis->client_request(thread, arguments, result))
                    return True;
            return False;
    }
    *result = 0;
    return True;
}

}  // namespace

void register_client_requests() { VG_(needs_client_requests)(handle_request); }

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
