// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log/log_source.h"

#include <cstddef>

#include "instrument/core/call_stacks.h"
#include "instrument/core/call_tracking.h"
#include "instrument/core/policy.h"
#include "instrument/core/registers.h"
#include "instrument/log/access_log.h"
#include "instrument/log/log_policy.h"
#include "instrument/log/record_keeping.h"
#include "log/quiet_lines.h"
#include "log/stations.h"
#include "threads/call_tree.h"
#include "vg/compat.h"

namespace memspy::instrument {
namespace {

u64* cursor(u32 guest_id) { return reinterpret_cast<u64*>(get_word(guest_id, cursor_offset())); }
void set_cursor(u32 guest_id, u64* at) {
    set_word(guest_id, cursor_offset(), reinterpret_cast<u64>(at));
    if (log_policy().passes_accesses()) clear_head(at);
}
void set_sample(u32 guest_id, const log::WordSample& sample) {
    set_word(guest_id, pause_offset(), begin_sample(sample, get_word(guest_id, follow_until_offset())));
}
void set_quiet_bit(u32 guest_id, u64 bit, bool first) {
    if (!log_policy().pass_quiet && !log_policy().follow_order) return;
    if (first) set_word(guest_id, follow_until_offset(), 0);
    if (!log_policy().pass_quiet) return;
    const bool follows = get_word(guest_id, follow_until_offset()) != 0;
    set_own_bit(guest_id, bit);
    set_word(guest_id, quiet_bit_offset(), bit_now(guest_id, follows));
}
// Tells the instructions behind the last record.
void settle(u32 guest_id) {
    note_present_slots(guest_id);
    if (!log_policy().passes_accesses()) return;
    const bool samples = log_policy().pass_unsampled;
    const u64 pause = get_word(guest_id, pause_offset());
    cursor(guest_id)[1] = samples ? pause : pause / kInstruction;
    if (!samples) log::add_passed(pause % kInstruction);
    set_word(guest_id, pause_offset(), 0);
}
places::Place place(u32 guest_id) { return {VG_(get_IP)(guest_id), path_of(guest_id)}; }

void write(bool on) {
    log_policy().recording = on ? AccessRecording::Log : AccessRecording::None;
    if (on) {
        follow_calls();
        // Interpreters and compilers have more paths than that, and wait for them at each call.
        constexpr u32 kPathsInFull = 64 * 1024;
        threads::fold_recursion(kPathsInFull);
    }
    if (threads::threads_ever() > 0) vg::discard_translations();
}

// From now on several threads run.
void follow_several() {
    log_policy().pass_unsampled = log_policy().follow_order = log::is_sampled_by_threads();
    vg::discard_translations();
}

// Called by generated code: the running thread's log is to be read.
void read_log(u8* state) {
    auto& at = *reinterpret_cast<u64*>(state + cursor_offset());
    auto& pause = *reinterpret_cast<u64*>(state + pause_offset());
    const bool samples = log_policy().pass_unsampled;
    const bool is_full = (at & log::kFullBit) != 0;
    if (samples) reinterpret_cast<u64*>(at)[1] = pause;
    note_present_slots(VG_(get_running_tid)());
    const log::NextRoom next = log::chunk_full(VG_(get_running_tid)(), reinterpret_cast<u64*>(at));
    at = reinterpret_cast<u64>(next.at);
    if (samples) {
        clear_head(next.at);
        pause = begin_sample(next.sample, *reinterpret_cast<u64*>(state + follow_until_offset()));
    }
    if (log_policy().pass_quiet && is_full) {
        clear_head(next.at);
        set_own_bit(VG_(get_running_tid)(), next.quiet_bit);
        const bool follows = *reinterpret_cast<u64*>(state + follow_until_offset()) != 0;
        *reinterpret_cast<u64*>(state + quiet_bit_offset()) = bit_now(VG_(get_running_tid)(), follows);
    }
    if (next.yield) *reinterpret_cast<UInt*>(state + offsetof(VexGuestArchState, host_EvC_COUNTER)) = 0;
}

// The chunk may be full.
void log_full(u8* state) {
    const u64 at = *reinterpret_cast<u64*>(state + cursor_offset());
    const u64 pause = *reinterpret_cast<u64*>(state + pause_offset());
    if ((at & log::kFullBit) != 0 || (log_policy().pass_unsampled && log::WordSample::is_due(pause)))
        read_log(state);
}

}  // namespace

extern const ObserverKind kAccessLog;
constexpr ObserverKind kAccessLog = {.is_on = [] { return log_policy().is_logging(); },
                                     .make = make_observer<LogWriter>,
                                     .unmake = unmake_observer<LogWriter>,
                                     .must_begin = LogWriter::is_lock_call,
                                     .tripped = keep_tripped_record,
                                     .full = log_full};

void register_log_source() {
    set_full_handler(read_log);
    set_log_position(
        [](const u8* state) { return *reinterpret_cast<const u64* const*>(state + cursor_offset()); });
    threads::listen(log::thread_events());
}

void start_log_source() {
    log_policy().pass_unsampled = log::is_sampled();
    log_policy().pass_quiet = !log_policy().pass_unsampled && log::is_quiet_passed();
    if (log_policy().pass_quiet && !log::quiet_lines().initialise(policy().line_bytes)) {
        log_policy().pass_quiet = false;
        VG_(umsg)(
            "memspy: the system has no room for the addresses of marks of lines (ulimit -v, "
            "vm.overcommit_memory): every access is logged, which takes longer\n");
    }
    log::start({.cursor = cursor,
                .set_cursor = set_cursor,
                .set_quiet_bit = set_quiet_bit,
                .set_sample = set_sample,
                .follow_several = follow_several,
                .settle = settle,
                .place = place,
                .write = write,
                .is_enabled = [] { return policy().enabled; },
                .is_helper = threads::is_helper,
                .line_bytes = policy().line_bytes,
                .futex = __NR_futex});
}

}  // namespace memspy::instrument
