// SPDX-License-Identifier: GPL-2.0-or-later
//
// An analysis as the rest of the tool sees it: one constexpr Analysis in analyses/<name>/, one line in
// analyses/all.def, one in memspy/options.def. The start, the end, the monitor and the profile file loop over
// the list; nothing else knows an analysis by name.
//
// What is null is not called. An analysis that is not wanted is registered with the core, started and asked
// for its end all the same, and does nothing then.
#pragma once

#include <span>

#include "analyses/monitor_command.h"
#include "options.h"
#include "profile/profile.h"

namespace memspy {

enum class End : u8 {
    Exit,  // the program has ended
    Exec   // it is about to become another one
};

struct Analysis {
    const char* name;                           // its folder's, and that of the option that switches it off
    bool (*wanted)() = nullptr;                 // by the options
    void (*check_options)(Options&) = nullptr;  // all arguments are known: settles what depends on others
    // Before the command line: callbacks of the core, listeners to threads, heap and calls.
    void (*register_with_core)() = nullptr;
    // After it: requests instrumentation (instrument::policy()), attaches consumers of the
    // access log, listens.
    void (*start)() = nullptr;
    // Instrumentation is on again, after a while in which the program's writes were not seen.
    void (*resume)() = nullptr;
    // Makes the results so far ready for a profile; the program goes on.
    void (*checkpoint)() = nullptr;
    // Findings and summary, in the order of the list; then the profile is written.
    void (*finish)(End end) = nullptr;
    // A client request that no other part knows; false when it is none of its own either.
    bool (*client_request)(u32 thread, u64* arguments, u64* result) = nullptr;
    std::span<const MonitorCommand> (*monitor_commands)() = nullptr;  // its own
    void (*print_status)() = nullptr;      // the monitor's command `status`, by gdb_printf
    void (*print_statistics)() = nullptr;  // --stats=yes
    const profile::ProfileSection* section = nullptr;
};

}  // namespace memspy
