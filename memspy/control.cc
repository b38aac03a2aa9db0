// SPDX-License-Identifier: GPL-2.0-or-later
#include "control.h"

#include "analyses/all.h"
#include "client/following.h"
#include "instrument/call_stacks.h"
#include "instrument/instrument.h"
#include "memspy.h"
#include "monitor.h"
#include "vg/compat.h"

namespace memspy {
namespace {

Bool handle_request(ThreadId thread, UWord* arguments, UWord* result) {
    switch (arguments[0]) {
        case MEMSPY_REQ_START_INSTRUMENTATION: switch_instrumentation(true); break;
        case MEMSPY_REQ_STOP_INSTRUMENTATION: switch_instrumentation(false); break;
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

}  // namespace memspy
