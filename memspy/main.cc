// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy's registration with Valgrind's core, and the start and the end of a run.
#include "analyses/contention/contention.h"
#include "analyses/defects/defects.h"
#include "analyses/zeros/zeros.h"
#include "control.h"
#include "findings/findings.h"
#include "findings/zeros_summary.h"
#include "heap/heap.h"
#include "instrument/call_stacks.h"
#include "instrument/instrument.h"
#include "options.h"
#include "profile_output.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/vg.h"

namespace memspy {
namespace {

// Trips start an instruction again, and calls are followed by what the stack pointer is, so the guest state
// must be exact at each instruction, whatever the user asked VEX for; what that makes superfluous is left out
// by instrument/dead_writes.
void demand_exact_registers() {
    VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
    VG_(clo_px_file_backed) = VexRegUpdAllregsAtEachInsn;
}

Bool take_option(const HChar* argument) { return process_option(argument); }

void after_command_line() {
    check_options();
    note_start_of_run();
    if (options().defects || options().contention || options().zeros_context > 0) demand_exact_registers();
    defects::start();
    contention::start();
    zeros::start();
    instrument::initialise_sites();
    instrument::call_at_first_code(findings::load_memcheck_suppressions);
}

void print_statistics() {
    auto say = [](const HChar* format, auto... values) {
        VG_(message)(Vg_DebugMsg, format, static_cast<ULong>(values)...);
    };
    const instrument::TripCounts& c = instrument::trip_counts();
    say("memspy: %llu access trips, %llu entry trips (%llu passed)\n", c.access_trips, c.entry_trips,
        c.entry_passes);
    say("memspy: %llu demotions, %llu flushes, %llu instructions with sites\n", c.demotions, c.flushes,
        c.instructions);
    say("memspy: %llu shadow leaves, %llu side-table entries, %llu bytes in quarantine\n",
        shadow::leaf_count(), shadow::side_count(), heap::totals().quarantine_bytes);
    zeros::print_statistics();
}

// What was measured so far, as findings and in the summary.
void tell_measured() {
    contention::finish();
    zeros::finish();
    findings::print_zeros_summary(static_cast<u32>(options().top), options().zeros_threshold);
}

// A program that becomes another one has no other end, unless the call fails.
void before_call(threads::Thread, u32, u32 number, const u64* arguments) {
    if (number != __NR_execve || !VG_(am_is_valid_for_client)(arguments[0], 1, VKI_PROT_READ)) return;
    struct vg_stat file;
    constexpr UInt kExecutable = 0111;
    if (sr_isError(VG_(stat)(reinterpret_cast<const HChar*>(arguments[0]), &file)) ||
        (file.mode & kExecutable) == 0)
        return;
    tell_measured();
    write_profile(findings::MadeBy::Exec);
}

void finish(Int) {
    tell_measured();
    defects::finish();
    const HChar* profile = write_profile(findings::MadeBy::Exit);
    if (profile != nullptr && VG_(clo_verbosity) > 0 && !VG_(clo_xml))
        VG_(umsg)("All figures are in %ps\n", profile);
    if (VG_(clo_stats)) print_statistics();
    if (!vg::report_is_writable()) {
        constexpr HChar kLost[] =
            "memspy: the report could not be written in full (no space on its disk?); run again with another "
            "--log-file or --xml-file\n";
        VG_(write)(2, kLost, sizeof(kLost) - 1);
    }
}

void before_command_line() {
    VG_(details_name)("memspy");
    VG_(details_version)(nullptr);
    VG_(details_description)("shows what a program does to its memory");
    VG_(details_copyright_author)("Copyright (C) 2026, and GNU GPL'd, by the memspy authors.");
    VG_(details_bug_reports_to)("the place where you got memspy from");
    VG_(details_avg_translation_sizeB)(500);

    VG_(basic_tool_funcs)(after_command_line, instrument::instrument, finish);
    VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
    VG_(needs_libc_freeres)();
    VG_(needs_cxx_freeres)();
    VG_(needs_print_stats)(print_statistics);
    vg::need_core_errors();
    vg::read_inline_info();
    findings::register_with_core();
    threads::register_with_core();
    threads::listen({.before_call = before_call});
    instrument::register_call_stacks();
    defects::register_with_core();
    contention::register_with_core();
    zeros::register_with_core();
    register_client_requests();
}

}  // namespace
}  // namespace memspy

extern "C" {
VG_DETERMINE_INTERFACE_VERSION(memspy::before_command_line)
}
