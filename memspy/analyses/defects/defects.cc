// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/defects.h"

#include "analyses/defects/accesses.h"
#include "analyses/defects/leak_check.h"
#include "analyses/defects/system_calls.h"
#include "heap/replacement.h"
#include "instrument/instrument.h"
#include "instrument/registers.h"
#include "options.h"
#include "shadow/shadow_map.h"
#include "threads/registry.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

void first_instruction(ThreadId thread) { note_stack(VG_(get_SP)(thread)); }
void deliver_signal(ThreadId thread, Int, Bool on_alternate_stack) {
    if (on_alternate_stack) note_stack(VG_(thread_get_altstack_min)(thread) + 1);
}

}  // namespace

void register_with_core() {
    heap::register_replacement();
    register_system_call_events();
    VG_(track_pre_thread_first_insn)(first_instruction);
    VG_(track_pre_deliver_signal)(deliver_signal);
    threads::listen({.exited = [](threads::Thread, u32 guest_id) { note_thread_exit(guest_id); }});
    instrument::set_tracking_hooks(tracking_hooks());
}

void start() {
    shadow::initialise();
    heap::start_replacement();
    instrument::Policy& policy = instrument::policy();
    policy.defects = options().defects;
    policy.undefined = options().defects && options().undef_value_errors;
}

void define_what_was_not_seen() {
    if (!options().defects) return;
    shadow::define_all();
    ThreadId thread = VG_INVALID_THREADID;
    Addr low = 0, high = 0;
    VG_(thread_stack_reset_iter)(&thread);
    while (VG_(thread_stack_next)(&thread, &low, &high)) instrument::define_registers(thread);
}

void finish() {
    if (!options().defects) return;
    print_heap_summary();
    ThreadId thread = VG_(get_running_tid)();
    leak_check_at_exit(thread == VG_INVALID_THREADID ? 1 : thread);
}

}  // namespace memspy::defects
