// SPDX-License-Identifier: GPL-2.0-or-later
//
// An analysis as the rest of the tool sees it: one constexpr Analysis in analyses/<name>/, one line in
// analyses/all.def, one in memspy/tool/options.def. The start, the end, the monitor and the profile file loop
// over the list; nothing else depends on an analysis by name.
//
// Null functions are not called. An analysis that is not wanted is still registered with the core, started
// and finished, and does nothing then.
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
    const char* name;                           // of its folder, and of the option that switches it off
    bool (*wanted)() = nullptr;                 // whether the options ask for it
    void (*check_options)(Options&) = nullptr;  // all arguments are known: sets options that depend on others
    // Called before the command line is read: callbacks of the core, listeners to threads, heap and calls.
    void (*register_with_core)() = nullptr;
    // Called after it: requests instrumentation (instrument::policy()), attaches consumers of the access log,
    // listens.
    void (*start)() = nullptr;
    // Instrumentation is on again after a time in which the program's writes were not seen.
    void (*resume)() = nullptr;
    // Makes the results so far ready for a profile; the program goes on.
    void (*checkpoint)() = nullptr;
    // Findings and summary, in the order of the list; then the profile is written.
    void (*finish)(End end) = nullptr;
    // A client request that no other part knows. Returns false if the analysis does not know it either.
    bool (*client_request)(u32 thread, u64* arguments, u64* result) = nullptr;
    std::span<const MonitorCommand> (*monitor_commands)() = nullptr;  // its own commands
    void (*print_status)() = nullptr;      // its part of the monitor's command `status`, by gdb_printf
    void (*print_statistics)() = nullptr;  // --stats=yes
    const profile::ProfileSection* section = nullptr;
    bool comes_later = false;  // the section is wanted when the program does what it is about, and not before
    // After finish(): whether a profile with its section is worth a file that the user did not name. Null: if
    // the section is wanted, which the user asked for.
    bool (*has_results)() = nullptr;
};

}  // namespace memspy
