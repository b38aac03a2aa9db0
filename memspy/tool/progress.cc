// SPDX-License-Identifier: GPL-2.0-or-later
#include "progress.h"

#include "options.h"
#include "rt/text.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/vg.h"

namespace memspy {
namespace {

u32 next_line = 0;  // milliseconds since the run's start

void print_line(u32 now, u64 blocks) {
    const u32 errors = vg::error_counts().found;
    rt::Text line;
    line.add_number(now / 1000).add(" s, ").add_number(blocks).add(" blocks of code, ");
    line.add_number(errors).add(errors == 1 ? " error" : " errors").add(" so far");
    if (threads::threads_now() > 1) line.add(", ").add_number(threads::threads_now()).add(" threads");
    VG_(umsg)("%s\n", line.c_str());
}

void started(threads::Thread, u32, u64 blocks) {
    const u32 now = VG_(read_millisecond_timer)();
    if (now < next_line) return;
    next_line = now + static_cast<u32>(options().progress) * 1000;
    print_line(now, blocks);
}

}  // namespace

void start_progress() {
    if (options().progress == 0 || VG_(clo_verbosity) == 0 || !vg::reports_to_terminal()) return;
    next_line = static_cast<u32>(options().progress) * 1000;
    threads::listen({.started = started});
}

}  // namespace memspy
