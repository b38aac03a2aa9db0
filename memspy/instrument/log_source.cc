// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log_source.h"

#include <cstddef>

#include "instrument/access_log.h"
#include "instrument/call_stacks.h"
#include "instrument/instrument.h"
#include "instrument/trip.h"
#include "log/stations.h"
#include "vg/compat.h"

namespace memspy::instrument {
namespace {

u64* cursor(u32 guest_id) { return reinterpret_cast<u64*>(get_word(guest_id, cursor_offset())); }
void set_cursor(u32 guest_id, u64* at) { set_word(guest_id, cursor_offset(), reinterpret_cast<u64>(at)); }
places::Place place(u32 guest_id) { return {VG_(get_IP)(guest_id), path_of(guest_id)}; }

void write(bool on) {
    policy().recording = on ? AccessRecording::Log : AccessRecording::None;
    if (on) follow_calls();
    if (threads::threads_ever() > 0) vg::discard_translations();
}

// Called by generated code: the running thread's chunk may be full.
void log_full(u8* state) {
    auto& at = *reinterpret_cast<u64*>(state + cursor_offset());
    if ((at & log::kFullBit) == 0) return;
    const log::NextRoom next = log::chunk_full(VG_(get_running_tid)(), reinterpret_cast<u64*>(at));
    at = reinterpret_cast<u64>(next.at);
    if (next.yield) *reinterpret_cast<UInt*>(state + offsetof(VexGuestArchState, host_EvC_COUNTER)) = 0;
}

}  // namespace

void register_log_source() {
    set_log_full_handler(log_full);
    threads::listen(log::thread_events());
}

void start_log_source() {
    log::start({.cursor = cursor,
                .set_cursor = set_cursor,
                .place = place,
                .write = write,
                .is_enabled = [] { return policy().enabled; },
                .is_helper = threads::is_helper,
                .line_bytes = policy().line_bytes,
                .futex = __NR_futex});
}

}  // namespace memspy::instrument
