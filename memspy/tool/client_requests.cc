// SPDX-License-Identifier: GPL-2.0-or-later
#include "client_requests.h"

#include "analyses/all.h"
#include "client/following.h"
#include "client/guards.h"
#include "control.h"
#include "memspy.h"
#include "monitor.h"
#include "vg/vg.h"

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

}  // namespace memspy
