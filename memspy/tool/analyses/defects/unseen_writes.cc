// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/unseen_writes.h"

#include "instrument/core/registers.h"
#include "instrument/stack/stack_window.h"
#include "options.h"
#include "shadow/shadow_map.h"
#include "vg/vg.h"

namespace memspy::defects {

void define_what_was_not_seen() {
    if (!options().defects) return;
    shadow::define_all();
    instrument::forget_stacks();
    ThreadId thread = VG_INVALID_THREADID;
    Addr low = 0, high = 0;
    VG_(thread_stack_reset_iter)(&thread);
    while (VG_(thread_stack_next)(&thread, &low, &high)) instrument::define_registers(thread);
}

}  // namespace memspy::defects
