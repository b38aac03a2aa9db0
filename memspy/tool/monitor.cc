// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor.h"

#include "analyses/all.h"
#include "control.h"
#include "options.h"
#include "profile/output.h"
#include "rt/text.h"
#include "threads/registry.h"
#include "vg/compat.h"

namespace memspy {
namespace {

// status

const HChar* on_or_off() { return is_instrumentation_on() ? "on" : "off"; }

// Prints a message if the command has more words, which are ignored.
bool is_at_end(CommandWords& words, const HChar* command) {
    const HChar* word = words.next();
    if (word != nullptr) VG_(gdb_printf)("%s takes no '%s'\n", command, word);
    return word == nullptr;
}

void print_status(u32, CommandWords& words) {
    if (!is_at_end(words, "status")) return;
    const vg::ErrorCounts errors = vg::error_counts();
    VG_(gdb_printf)("errors: %u found, %u shown\n", errors.found, errors.shown);
    VG_(gdb_printf)("instrumentation: %s\n", on_or_off());
    VG_(gdb_printf)("threads: %u now, %u ever\n", threads::threads_now(), threads::threads_ever());
    tell_all(&Analysis::print_status);
}

// dump

// A relative name is relative to the folder in which the program was started, not to its present one.
HChar* absolute(const HChar* name) {
    if (name[0] == '/') return VG_(strdup)("memspy.dump", name);
    const HChar* folder = VG_(get_startup_wd)();
    const SizeT room = VG_(strlen)(folder) + 1 + VG_(strlen)(name) + 1;
    auto* path = static_cast<HChar*>(VG_(malloc)("memspy.dump", room));
    VG_(snprintf)(path, static_cast<Int>(room), "%s/%s", folder, name);
    return path;
}

void say_there_is_no_profile() {
    VG_(gdb_printf)("there is no profile with");
    bool first = true;
    for (const Analysis* analysis : kAnalyses) {
        if (analysis->section == nullptr || analysis->comes_later) continue;
        VG_(gdb_printf)("%s --%s=no", first ? "" : " and", analysis->name);
        first = false;
    }
    VG_(gdb_printf)("\n");
}

// The name is the rest of the command, including blanks.
void dump(u32, CommandWords& words) {
    const HChar* name = words.rest();
    while (*name == ' ') ++name;
    if (!profile::has_sections()) return say_there_is_no_profile();
    if (*name == '\0' && !names_profile()) {
        VG_(gdb_printf)("no file is given, here or by --memspy-out-file\n");
        return;
    }
    tell_all(&Analysis::checkpoint);
    HChar* path = *name != '\0' ? absolute(name) : nullptr;
    const HChar* written = write_profile(profile::MadeBy::Dump, path);
    if (written != nullptr)
        VG_(gdb_printf)("profile written to %s\n", written);
    else
        VG_(gdb_printf)("nothing was written\n");
    if (path != nullptr) VG_(free)(path);
}

// instrumentation

void instrumentation(u32, CommandWords& words) {
    const HChar* word = words.next();
    enum { On, Off, Show };
    const Int what = word == nullptr ? -1 : VG_(keyword_id)("on off status", word, kwd_report_none);
    if (what < 0) {
        VG_(gdb_printf)("instrumentation needs on, off or status\n");
        return;
    }
    if (!is_at_end(words, "instrumentation")) return;
    if (what != Show) switch_instrumentation(what == On);
    VG_(gdb_printf)("instrumentation is %s\n", on_or_off());
}

constexpr MonitorCommand kOwnCommands[] = {
    {"status",
     "  status\n"
     "        shows the findings and counts so far\n",
     print_status},
    {"dump",
     "  dump [FILE]\n"
     "        writes the profile of the run so far to FILE, or to what --memspy-out-file names\n",
     dump},
    {"instrumentation",
     "  instrumentation on|off|status\n"
     "        has memspy look at the program's accesses or not, or shows whether it does\n",
     instrumentation},
};

// Calls `look` with each command, in the order of the help text, until it returns true.
template <typename Look>
void for_each_command(Look&& look) {
    for (const Analysis* analysis : kAnalyses) {
        if (analysis->monitor_commands == nullptr) continue;
        for (const MonitorCommand& command : analysis->monitor_commands())
            if (look(command)) return;
    }
    for (const MonitorCommand& command : kOwnCommands)
        if (look(command)) return;
}

void print_help() {
    VG_(gdb_printf)("\nmemspy monitor commands:\n");
    for_each_command([](const MonitorCommand& command) {
        VG_(gdb_printf)("%s", command.help);
        return false;
    });
    VG_(gdb_printf)("\n");
}

}  // namespace

bool handle_monitor_command(u32 thread, const char* command) {
    HChar* copy = VG_(strdup)("memspy.monitor", command);
    CommandWords words(copy);
    HChar* name = words.next();
    rt::Text known;
    known.add("help");
    for_each_command([&known](const MonitorCommand& each) {
        known.add(" ").add(each.name);
        return false;
    });
    constexpr Int kUnknown = -1, kHelp = 0;  // less than kUnknown: ambiguous, a message was printed
    Int which =
        name == nullptr ? kUnknown : VG_(keyword_id)(known.c_str(), name, kwd_report_duplicated_matches);
    if (which == kHelp) print_help();
    if (which > kHelp)
        for_each_command([&](const MonitorCommand& each) {
            if (--which != kHelp) return false;
            each.carry_out(thread, words);
            return true;
        });
    VG_(free)(copy);
    return which != kUnknown;
}

}  // namespace memspy
