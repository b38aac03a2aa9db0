// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log/record_keeping.h"

#include <algorithm>
#include <cstddef>

#include "instrument/core/call_tracking.h"
#include "instrument/core/policy.h"
#include "instrument/core/registers.h"
#include "instrument/core/state_call.h"
#include "instrument/log/log_policy.h"
#include "instrument/log/quiet_checks.h"
#include "instrument/log/sample_checks.h"
#include "log/quiet_lines.h"
#include "log/stations.h"
#include "rt/global.h"

namespace memspy::instrument {

using log::AccessUse;
using log::kNoWord;
using log::Segment;
using log::Shape;

// The word before the event counter holds the address to which the core goes when the counter runs out. It
// has no undefined bits.
Int cursor_offset() {
    return static_cast<Int>(offsetof(VexGuestArchState, host_EvC_FAILADDR)) + guest_layout().state_bytes;
}

Int pause_offset() { return shadow_offset(static_cast<Int>(offsetof(VexGuestArchState, guest_CMSTART))); }

namespace {

void (*full)(u8* state) = nullptr;
u64 wanted_mask = 0;                   // of the running thread's sample
rt::Global<rt::Vector<u64>> own_bits;  // in quiet lines, by the guest's number

template <typename T>
T& word_at(u8* state, Int offset) {
    return *reinterpret_cast<T*>(state + offset);
}

}  // namespace

void set_full_handler(void (*handler)(u8* state)) { full = handler; }
void read_log_now(u8* state) { full(state); }

// Words of a longer record that was not kept may stand there.
void clear_head(u64* cursor) { cursor[0] = cursor[1] = 0; }

void set_own_bit(u32 guest_id, u64 bit) {
    if (guest_id >= own_bits->size()) own_bits->resize(guest_id + 1);
    (*own_bits)[guest_id] = bit;
}

u64 bit_now(u32 guest_id, bool follows) { return follows ? log::QuietLines::kNobody : (*own_bits)[guest_id]; }

u64 begin_sample(const log::WordSample& sample, u64 follow_until) {
    wanted_mask = sample.mask_now;
    set_sample_mask(log_policy().follow_order && follow_until != 0 ? 0 : wanted_mask);
    return log_policy().follow_order ? sample.begin() : sample.counter;
}

namespace {

// A function that works on a lock ends, for the reader, at the first record that is not below it. So there
// must be one: all accesses are followed until then.
void follow_lock(u8* state, const log::Record& record, bool calls) {
    u64& within = word_at<u64>(state, follow_until_offset());
    if (calls ? within != 0 : threads::is_below(record.path, static_cast<threads::CallPath>(within))) return;
    within = calls ? static_cast<u64>(record.path) : 0;
    if (log_policy().pass_unsampled) return set_sample_mask(calls ? 0 : wanted_mask);
    word_at<u64>(state, quiet_bit_offset()) = bit_now(VG_(get_running_tid)(), calls);
}

// Whether all accesses of the record are quiet, though not in the thread's present age. They are passed in
// that from now on, and the record is not kept.
bool is_of_older_age(u8* state, const log::Record& record) {
    const u64 bit = word_at<u64>(state, quiet_bit_offset());
    if (!log_policy().pass_quiet || bit == log::QuietLines::kNobody) return false;
    const log::QuickShape& quick = log::quick_shape(record.shape);
    if (!quick.is_plain) return false;
    log::QuietLines& lines = log::quiet_lines();
    const auto* const words = reinterpret_cast<const u64*>(&record);
    const auto for_each_line = [&](auto f) {
        const log::QuickSpan* span = quick.begin();
        for (const log::QuickSpan* const end = span + quick.whole.spans; span != end; ++span) {
            const Address first = static_cast<Address>(span->low) + words[span->place];
            if (span->reach >= policy().line_bytes) return false;
            if (!f(first, span->stores) || !f(first + span->reach, span->stores)) return false;
        }
        return true;
    };
    const bool older = for_each_line([&](Address a, bool stores) {
        return lines.are_loads_quiet(a, bit) && (!stores || lines.are_stores_quiet(a));
    });
    if (older)
        for_each_line([&](Address a, bool) {
            lines.renew(a, bit);
            return true;
        });
    return older;
}

// Where the record stores to a word that others wait for, they run soon.
void perhaps_end_slice(u8* state, const log::Record& record) {
    UInt& left = word_at<UInt>(state, offsetof(VexGuestArchState, host_EvC_COUNTER));
    left = std::min(left, log::stored(VG_(get_running_tid)(), record));
}

// The record at the cursor has this number, that of the part that was executed, and is to be kept.
void keep_record(u8* state, u32 shape) {
    u64& cursor = word_at<u64>(state, cursor_offset());
    u64& pause = word_at<u64>(state, pause_offset());
    auto& record = *reinterpret_cast<log::Record*>(cursor);
    record.shape = shape;
    if (is_of_older_age(state, record)) return;
    const log::QuickShape& quick = log::quick_shape(shape);
    const bool samples = log_policy().pass_unsampled, orders = !samples || log_policy().follow_order;
    record.path = word_at<const CallFrame*>(state, call_top_offset())->path;
    const bool calls = orders && !quick.is_plain && log::shape(shape).event != log::LockEvent::None;
    if (calls || (orders && word_at<u64>(state, follow_until_offset()) != 0))
        follow_lock(state, record, calls);

    const log::QuickExit& own = quick.whole;
    const u64 accesses = samples ? own.word_accesses : u64{own.loads} + own.stores;
    const u64 before = pause - own.instructions * kInstruction - accesses;
    record.time = samples ? before : before / kInstruction;
    if (!samples) {
        log::add_passed(before % kInstruction);
        pause = 0;
    } else if (!log_policy().follow_order) {
        pause %= kInstruction;
    }
    if (log::are_stores_watched()) [[unlikely]]
        perhaps_end_slice(state, record);
    cursor += log::record_words(shape) * sizeof(u64);
    clear_head(reinterpret_cast<u64*>(cursor));
    const bool is_due = samples && log::WordSample::is_due(pause);
    if ((cursor & log::kFullBit) != 0 || is_due)
        full(state);
    else if (const u64 bit = word_at<u64>(state, quiet_bit_offset());
             log_policy().pass_quiet && bit != log::QuietLines::kNobody && quick.is_plain)
        log::written(VG_(get_running_tid)(), record, bit);
}

}  // namespace

// The record has the number of the whole one. If it is of an earlier superblock with the same instruction,
// its accesses were quiet, and they are told again.
void keep_tripped_record(u8* state, Address instruction) {
    if (!log_policy().passes_accesses()) return;
    const auto& record = *reinterpret_cast<const log::Record*>(word_at<u64>(state, cursor_offset()));
    if (record.shape == 0) return;
    const Shape& whole = log::shape(record.shape);
    Shape done;
    u16 executed = 0;
    for (const AccessUse& use : whole.uses) {
        if (use.instruction == instruction) {
            executed = use.ordinal;
            break;
        }
        log::add_use(done, use, policy().line_bytes);
    }
    if (executed == 0 || done.uses.empty()) return;
    done.words = whole.words;
    done.segments.push_back(Segment{kNoWord, executed});
    const u32 accesses = log_policy().pass_unsampled ? done.word_accesses : done.loads + done.stores;
    word_at<u64>(state, pause_offset()) += executed * kInstruction + accesses;
    keep_record(state, log::number_of_shape(done));
}

extern "C" [[gnu::used]] void memspy_keep_record(UWord shape, u8* state) {
    keep_record(state, static_cast<u32>(shape));
}
MEMSPY_STATE_HELPER(memspy_keep_record, 1);

void emit_keep_record(Emitter& emit, u32 shape, IRExpr* guard) {
    IRDirty* call = unsafeIRDirty_0_N(0, "memspy_keep_record",
                                      VG_(fnptr_to_fnentry)(MEMSPY_STATE_ENTRY(memspy_keep_record)),
                                      arguments_and_state(Emitter::u64c(shape)));
    if (guard != nullptr) call->guard = guard;
    declare_effect(call, guest_layout().stack_pointer);
    emit.add(IRStmt_Dirty(call));
}

}  // namespace memspy::instrument
