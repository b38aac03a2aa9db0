// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/analysis.h"
#include "analyses/defects/accesses.h"
#include "analyses/defects/bounds.h"
#include "analyses/defects/client_requests.h"
#include "analyses/defects/heap_calls.h"
#include "analyses/defects/leak_check.h"
#include "analyses/defects/mappings.h"
#include "analyses/defects/monitor_commands.h"
#include "analyses/defects/output/section.h"
#include "analyses/defects/quiet_ranges.h"
#include "analyses/defects/requested_origins.h"
#include "analyses/defects/system_calls.h"
#include "analyses/defects/unseen_writes.h"
#include "analyses/defects/value_options.h"
#include "analyses/defects/wild_pointers.h"
#include "client/replacement.h"
#include "instrument/core/policy.h"
#include "instrument/stack/stack_floor.h"
#include "instrument/stack/stack_window.h"
#include "options.h"
#include "shadow/shadow_map.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/modules.h"
#include "vg/source_info.h"
#include "vg/static_program.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

void first_instruction(ThreadId thread) { note_stack(VG_(get_SP)(thread)); }
// A process made by clone() may start on a stack of its own; its first instruction is not reported.
void after_call(threads::Thread, u32 guest_id, u32 number, const u64*, i64 result) {
    if (result == 0 && (number == __NR_clone || number == __NR_clone3)) note_stack(VG_(get_SP)(guest_id));
}

void signal_frame(Addr begin, SizeT bytes, ThreadId) {
    if (!instrument::policy().follow_stack) return;
    shadow::set_range(begin, bytes,
                      instrument::policy().undefined ? shadow::State::Uninitialised : shadow::State::Fine);
}
void signalled(threads::Thread, u32 guest_id, i32, bool on_alternate_stack) {
    if (on_alternate_stack) note_stack(VG_(thread_get_altstack_min)(guest_id) + 1);
}

void register_with_core() {
    VG_(track_pre_thread_first_insn)(first_instruction);
    VG_(track_new_mem_stack_signal)(signal_frame);
    threads::listen({.exited =
                         [](threads::Thread, u32 guest_id) {
                             note_thread_exit(guest_id);
                             if (instrument::policy().follow_stack) instrument::forget_stack_of(guest_id);
                         },
                     .after_call = after_call,
                     .signalled = signalled});
    instrument::set_tracking_hooks(tracking_hooks());
}

void start() {
    instrument::Policy& policy = instrument::policy();
    policy.check_accesses = options().defects;
    policy.undefined = options().defects && options().undef_value_errors;
    // The dynamic linker's own string functions run before the replacements are loaded, and load whole words.
    policy.settled_frames = vg::dynamic_linker();
    // String functions load beyond the end of strings; on a stack these bytes are undefined. Those of a static
    // program are replaced only if it has symbols.
    policy.follow_stack = options().defects && options().undef_stack &&
                          (!policy.settled_frames.empty() || vg::load_into_static_program());
    policy.check_stack = policy.follow_stack && policy.undefined;
    if (!options().defects) return vg::skip_library_cleanup();
    // Stacks are those that Memcheck shows, which suppressions are written for.
    vg::read_inlined_calls_of_system();
    judge_heap_calls();
    judge_system_calls();
    report_wild_pointers();
    if (options().bounds) report_accesses_beyond_variables();
    client::listen({.released = [](const heap::Block& block) {
        forget_requested_origins(block.payload, block.size);
        instrument::forget_stack_block(block.payload);
    }});
    follow_mappings();
}

void finish(End end) {
    if (!options().defects || end != End::Exit) return;
    print_heap_summary();
    ThreadId thread = VG_(get_running_tid)();
    leak_check_at_exit(thread == VG_INVALID_THREADID ? 1 : thread);
    warn_of_quiet_ranges();
}

}  // namespace

extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "defects",
                                .wanted = [] { return options().defects; },
                                .check_options = check_options,
                                .register_with_core = register_with_core,
                                .start = start,
                                .resume = define_what_was_not_seen,
                                .finish = finish,
                                .client_request = handle_client_request,
                                .monitor_commands = monitor_commands,
                                .section = &kSection,
                                // An error file has them, too.
                                .has_results = [] { return !VG_(clo_xml) && has_findings(); }};

}  // namespace memspy::defects
