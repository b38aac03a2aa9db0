// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy's registration with Valgrind's core, and the start and the end of a run.
#include "analyses/all.h"
#include "client/following.h"
#include "client/replacement.h"
#include "client/system_calls.h"
#include "client_requests.h"
#include "control.h"
#include "findings/findings.h"
#include "heap/heap.h"
#include "instrument/core/call_stacks.h"
#include "instrument/core/policy.h"
#include "instrument/core/rare.h"
#include "instrument/instrument.h"
#include "instrument/log/log_source.h"
#include "instrument/trip.h"
#include "options.h"
#include "order/follow.h"
#include "profile/output.h"
#include "progress.h"
#include "rt/text.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/known_stacks.h"
#include "vg/late_lines.h"
#include "vg/process_end.h"
#include "vg/report_files.h"
#include "vg/source_info.h"
#include "vg/vg.h"

namespace memspy {
namespace {

// Trips restart an instruction, calls are followed by the stack pointer, and a program may handle its own
// faults. So the guest state must be exact at each instruction, whatever the user's options for VEX.
// instrument/dead_writes removes the writes that are not needed.
void demand_exact_registers() {
    VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
    VG_(clo_px_file_backed) = VexRegUpdAllregsAtEachInsn;
}

Bool take_option(const HChar* argument) { return process_option(argument); }

void check_that_something_is_looked_for() {
    rt::Text text;
    for (const Analysis* analysis : kAnalyses) {
        if (analysis->wanted()) return;
        text.add(text.empty() ? "" : ", ").add("--").add(analysis->name).add("=no");
    }
    if (VG_(clo_verbosity) > 0) VG_(umsg)("Note: with %ps memspy looks for nothing.\n", text.c_str());
}

void after_command_line() {
    tell_all(&Analysis::check_options, options_to_change());
    check_options();
    check_that_something_is_looked_for();
    note_start_of_run();
    demand_exact_registers();
    for (const Analysis* analysis : kAnalyses)
        if (analysis->section != nullptr) profile::list_section(*analysis->section, analysis->wanted());
    check_profile_path();
    start_progress();
    shadow::initialise();
    order::start();
    tell_all(&Analysis::start);
    client::start_heap();
    instrument::policy().line_bytes = static_cast<u32>(options().line_size);
    instrument::start_log_source();
    instrument::initialise_trips();
    instrument::call_at_first_code([] {
        findings::load_other_suppressions();
        vg::close_xml_for_now();
    });
}

void print_statistics() {
    auto say = [](const HChar* format, auto... values) {
        VG_(message)(Vg_DebugMsg, format, static_cast<ULong>(values)...);
    };
    const instrument::TripCounts& c = instrument::trip_counts();
    say("memspy: %llu access trips, %llu entry trips (%llu passed)\n", c.access_trips, c.entry_trips,
        c.entry_passes);
    say("memspy: %llu stack trips\n", c.stack_trips);
    say("memspy: %llu demotions, %llu flushes, %llu instructions with sites\n", c.demotions, c.flushes,
        c.instructions);
    say("memspy: %llu shadow leaves, %llu side-table entries, %llu bytes in quarantine\n",
        shadow::leaf_count(), shadow::side_count(), heap::totals().quarantine_bytes);
    tell_all(&Analysis::print_statistics);
}

// An exec is the end of the program's run, unless the call fails.
void before_call(threads::Thread, u32, u32 number, const u64* arguments) {
    vg::read_before_call(number, arguments);
    if (number != __NR_execve || !VG_(am_is_valid_for_client)(arguments[0], 1, VKI_PROT_READ)) return;
    struct vg_stat file;
    constexpr UInt kExecutable = 0111;
    if (sr_isError(VG_(stat)(reinterpret_cast<const HChar*>(arguments[0]), &file)) ||
        (file.mode & kExecutable) == 0)
        return;
    tell_all(&Analysis::finish, End::Exec);
    if (wants_profile()) write_profile(profile::MadeBy::Exec);
    const auto* program = reinterpret_cast<const HChar*>(arguments[0]);
    if (VG_(am_is_valid_for_client)(arguments[1], sizeof(Addr), VKI_PROT_READ) &&
        vg::traces_exec(program, reinterpret_cast<const HChar**>(arguments[1])))
        vg::make_way_for_exec();
}

void finish(Int) {
    tell_all(&Analysis::finish, End::Exit);
    if (VG_(clo_verbosity) > 0 && !VG_(clo_xml)) findings::print_recap();
    const auto made_by = vg::ends_by_signal() ? profile::MadeBy::Signal : profile::MadeBy::Exit;
    const HChar* profile = wants_profile() ? write_profile(made_by) : nullptr;
    if (profile != nullptr && VG_(clo_verbosity) > 0 && !VG_(clo_xml))
        VG_(umsg)("All figures are in %ps\nTo see them: memspy-html %ps\n", profile, profile);
    if (VG_(clo_stats)) print_statistics();
    if (!vg::report_is_writable()) {
        constexpr HChar kLost[] =
            "memspy: the report could not be written in full (no space on its disk?); run again with another "
            "--log-file or --xml-file\n";
        VG_(write)(2, kLost, sizeof(kLost) - 1);
    }
}

// A scheduler warns a program of the end of its time by one of these signals, and kills it later. Without a
// handler the core ends the program, and finish() writes everything. A handler does what it does, perhaps
// nothing before the kill.
void before_handler(threads::Thread, u32, i32 signal, bool) {
    // A program may send SIGUSR1 to itself, often.
    if (signal == VKI_SIGTERM || signal == VKI_SIGUSR1) save_profile(signal == VKI_SIGUSR1);
}

void forked(threads::Thread, u32) {
    findings::begin_child();
    vg::share_report_files();
    if (!vg::leave_xml_to_parent() || VG_(clo_verbosity) < 1) return;
    VG_(umsg)(
        "memspy: this process was forked and writes no XML: its parent's file has that name. With %%p in "
        "--xml-file each has its own.\n");
}

void before_command_line() {
    VG_(details_name)("memspy");
    VG_(details_version)(MEMSPY_VERSION);
    VG_(details_description)("shows what a program does to its memory");
    VG_(details_copyright_author)("Copyright (C) 2026, and GNU GPL'd, by the memspy authors.");
    VG_(details_bug_reports_to)("the place where you got memspy from");
    VG_(details_avg_translation_sizeB)(500);
    VG_(clo_backtrace_size) = vg::kDefaultFrames;

    VG_(basic_tool_funcs)(after_command_line, instrument::instrument, finish);
    VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
    VG_(needs_libc_freeres)();
    VG_(needs_cxx_freeres)();
    VG_(needs_print_stats)(print_statistics);
    vg::need_core_errors();
    vg::register_report_files();
    vg::read_inlined_calls();
    findings::register_with_core();
    threads::register_with_core();
    threads::listen({.before_call = before_call, .forked = forked, .signalled = before_handler});
    instrument::register_call_stacks();
    client::register_replacement();
    client::register_system_calls();
    order::register_with_core();
    tell_all(&Analysis::register_with_core);
    instrument::register_log_source();
    instrument::register_rare_blocks();
    register_client_requests();
}

}  // namespace
}  // namespace memspy

extern "C" {
VG_DETERMINE_INTERFACE_VERSION(memspy::before_command_line)
}
