// SPDX-License-Identifier: GPL-2.0-or-later
//
// A quick look at a record: whether it is *quiet*, that is, whether the thread has all its lines to itself,
// or is known to read them, in both orders. Most records are quiet, and nothing is to be learnt from them.
// (For the first reading a line is the thread's own from the record on that got it. The second reading passes
// that record before any later one.)
#pragma once

#include "order/line_life.h"
#include "order/passing.h"
#include "order/rules.h"

namespace memspy::order {

// Whether has(address, span, whole) is true for all lines that the span touches; `whole`: it touches one, and
// begins at the address.
template <typename Has>
[[gnu::always_inline]] inline bool for_all_lines(Address a, const log::QuickSpan& span, Address line_mask,
                                                 Has&& has) {
    const bool whole = (a & line_mask) + span.reach <= line_mask;
    if (!has(a, span, whole)) [[unlikely]]
        return false;
    return whole || (span.reach <= line_mask && has(a + span.reach, span, false));
}

// The same for the whole executed part of a record.
template <typename Has>
bool for_all_lines(const Record& record, const Shape& shape, Address line_mask, Has&& has) {
    for (const log::QuickSpan& span : shape.quick) {
        Address a = static_cast<Address>(span.low);
        if (span.word != kNoWord) {
            const u64 base = record.words()[span.word];
            if (base == 0) continue;
            a += base;
        }
        if (record.reached(span.proof) && !for_all_lines(a, span, line_mask, has)) return false;
    }
    return true;
}

// Whether the record is quiet now.
inline bool is_quiet(Thread t, const Record& record, const Shape& shape) {
    auto has = [t](Address a, const log::QuickSpan& span, bool) {
        const LineState state = lines().look(a);
        return state.is_all_of(t.serial) ||
               (!span.stores && (is_known_reader(state, t) || is_known_at_rest(state, t)));
    };
    return for_all_lines(record, shape, recording->options.line_bytes - 1, has);
}

// The look of a first reading, which notes with each line when it was found to be the thread's own.
class QuickLook {
public:
    // `sequence`: the number of the reading; `bit`: of the thread in quiet lines.
    QuickLook(Thread t, u32 sequence, u64 bit, rt::Vector<u64>& lines_passed)
        : t_(t),
          sequence_(sequence),
          bit_(bit),
          lines_passed_(&lines_passed),
          passes_(bit != log::QuietLines::kNobody),
          mine_(LineState::found_by(t.serial, sequence)),
          line_mask_(recording->options.line_bytes - 1) {}

    void set_time(Time now) { now_ = now; }  // of the next record

    // Whether the line of `a` is the thread's own for the span's accesses.
    bool operator()(Address a, const log::QuickSpan& span, bool whole) {
        if (sampled_) log::watched_lines().accessed(a);
        const LineState state = lines().look(a);
        if (!state.is_still(mine_)) return has_anyway(a, span, whole);
        if (passes_ && state.is_all_of(t_.serial)) log::quiet_lines().make_quiet(a, bit_);
        return true;
    }
    // All these spans are reached. Call once for each record.
    bool is_quiet(const u64* at, const log::QuickSpan* span, u32 spans) {
        first_ = span;
        met_ = 0;
        for (const log::QuickSpan* end = span + spans; span != end; ++span)
            if (!for_all_lines(static_cast<Address>(span->low) + at[span->place], *span, line_mask_, *this))
                return false;
        return true;
    }
    bool is_quiet(const Record& record, const Shape& shape) {
        first_ = shape.quick.begin();
        met_ = 0;
        return for_all_lines(record, shape, line_mask_, *this);
    }
    // Whether the quiet record touches lines that are calm or resting: its accesses must be noted.
    bool met_calm() const { return met_ != 0; }
    void note(const Record& record, const Shape& shape) const {
        auto note_touch = [this](const Touch& touch) {
            if (const LineState state = lines()[touch.line]; state.is_calm())
                note_calm(lines().of(state), t_, touch);
            else if (state.is_resting())
                note_at_rest(lines().of(state), t_, touch);
        };
        if (met_ > kMostMet) return for_each_touch(record, shape, note_touch);
        for (u32 i = 0; i < met_; ++i) for_each_touch(record, shape.spans[met_spans_[i]], note_touch);
    }

    // The same for a load from a shared line that teaches nothing: the second reading must look at it.
    bool met_shared() {
        const bool met = shared_;
        shared_ = false;
        return met;
    }
    // If only the order is wanted: whether there was a store to a line of several threads since the last
    // call.
    bool stored() {
        const bool stored = stored_;
        stored_ = false;
        return stored;
    }

private:
    [[gnu::noinline]] bool has_anyway(Address a, const log::QuickSpan& span, bool whole) {
        const bool stores = span.stores;
        const LineState state = lines().look(a);
        if (!counts_ && !state.is_owned()) return has_for_order(state, a, span);
        if (state.is_owned_by(t_.serial) && !(stores && state.has(LineState::kOnlyRead))) {
            if (state.is_calm()) {
                meet(span);
                if (passes_ && is_calm_enough(lines().of(state))) pass_calm(lines().of(state), a, stores);
            } else if (passes_ && !stores && state.has(LineState::kOnlyRead) &&
                       state.has(LineState::kMerged)) {
                log::quiet_lines().make_loads_quiet(a, bit_);
            }
            found_own(lines().at(a), sequence_);
            return true;
        }
        if (stores) return state.is_shared() && whole && is_settled_store(lines().of(state), a, span);
        if (state.is_resting()) {
            Rest::LineReader* reader = reader_at_rest(lines().of(state), t_);
            if (reader == nullptr) return false;
            reader->sequence = sequence_;
            meet(span);
            if (passes_) log::quiet_lines().make_loads_quiet(a, bit_);
            return true;
        }
        if (state.is_shared()) return is_settled_load(lines().of(state), a, span, whole);
        if (!is_known_reader(state, t_)) return false;
        if (passes_) log::quiet_lines().make_loads_quiet(a, bit_);
        return true;
    }
    // A line must be calm for a while, but one that threads come back to again and again need not, as long as
    // nothing may be missing there. Where much may be, it must be calm for longer; for very long if threads
    // hand it over: if nothing tells that the former owner has let go, the next one's accesses may come
    // before that one has got to where it is now.
    static bool is_calm_enough(const SharedLine& calm) {
        const bool is_risky = calm.use->lives.any() && is_bound_large();
        const u32 accesses = calm.loads + calm.stores;
        return accesses >= (is_risky ? rules::kLong : rules::kEnough) && accesses >= accesses_to_pass(calm);
    }
    // Where the owner only loads, others' loads miss nothing of what it passes.
    void pass_calm(const SharedLine& calm, Address a, bool stores) const {
        if (stores || calm.stores != 0)
            log::quiet_lines().make_quiet(a, bit_);
        else
            log::quiet_lines().make_loads_quiet(a, bit_);
    }
    // If only the order is wanted: a line of several threads matters where one may wait for a word of it.
    bool has_for_order(LineState state, Address a, const log::QuickSpan& span) {
        if (state.is_untouched()) return false;
        stored_ = stored_ || span.stores;
        if (!state.is_shared()) return span.stores || !recording->clocks.words().is_marked(a);
        const SharedLine& shared = lines().of(state);
        return !shared.syncs && !shared.updated;
    }
    // A span over two lines may meet both.
    void meet(const log::QuickSpan& span) {
        const auto number = static_cast<u16>(&span - first_);
        if (met_ != 0 && met_ <= kMostMet && met_spans_[met_ - 1] == number) return;
        if (met_ < kMostMet) met_spans_[met_] = number;
        ++met_;
    }
    // Whether the load has no event in the observed order; then its bytes are known there. For a span over
    // two lines the address may be either end, so bytes on both sides of it count.
    bool is_settled_load(SharedLine& shared, Address a, const log::QuickSpan& span, bool whole) {
        const Address reach = span.reach;
        if (shared.syncs || line_mask_ > 63 || reach > line_mask_) return false;
        Ownership& observed = *shared.order[static_cast<u32>(View::Observed)];
        if (whole && span.solid && holds(observed, t_) && !recording->clocks.words().is_marked(a) &&
            !recording->own_locks.has_asked(t_.serial)) {
            const u64 loaded = (~u64{0} >> (63 - reach)) << (a & line_mask_);
            if (lives_ && !has_life(shared, a, loaded, 0)) return false;
            add_read(observed, t_, loaded);
            return note_settled(shared, false);
        }
        const Address at = a & line_mask_;
        const Address first = at > reach ? at - reach : 0;
        const Address last = at + reach < line_mask_ ? at + reach : line_mask_;
        const u64 bytes = (~u64{0} >> (63 - last)) & (~u64{0} << first);
        if (!is_settled(observed, t_, bytes, 0)) return false;
        if (lives_)
            shared.use->lives.touch_again(t_.serial, bytes, 0, recording->readings,
                                          recording->observed.part(t_.slot));
        return note_settled(shared, false);
    }
    // The same for a store to a line that the thread alone has and nobody passes.
    bool is_settled_store(SharedLine& shared, Address a, const log::QuickSpan& span) {
        if (shared.syncs || shared.updated || !counts_ || line_mask_ > 63 || !span.solid) return false;
        Ownership& observed = *shared.order[static_cast<u32>(View::Observed)];
        if (!is_only_holder(observed, t_) || recording->clocks.words().is_marked(a) ||
            recording->own_locks.has_asked(t_.serial) ||
            (log::quiet_lines().is_on() && log::quiet_lines().quiet_for(a) != 0))
            return false;
        const u64 bytes = (~u64{0} >> (63 - span.reach)) << (a & line_mask_);
        if (lives_ && (shared.use->orders || !has_life(shared, a, 0, bytes))) return false;
        add_written(observed, t_, bytes);
        note_settled(shared, true);
        return true;
    }
    // Whether the lives of the line know of the access now. Not if it may be by a word that orders what
    // threads do.
    bool has_life(SharedLine& shared, Address a, u64 read, u64 written) {
        Lives& lives = shared.use->lives;
        if (lives.touched_in(recording->situation(), read, written)) [[likely]]
            return true;
        if (recording->observed.may_know(a & ~Address{3})) return false;
        touch_life(lives, t_, now_, read, written);
        return true;
    }
    bool note_settled(SharedLine& shared, bool stores) {
        touch_shared(shared, t_, now_, stores);
        shared_ = true;
        if (passes_ && !stores) pass_loads(shared, t_, bit_, *lines_passed_);
        return true;
    }

    Thread t_;
    Time now_ = 0;
    u32 sequence_;
    u64 bit_;
    rt::Vector<u64>* lines_passed_;
    bool passes_;
    LineState mine_;
    Address line_mask_;
    bool shared_ = false, stored_ = false;
    bool counts_ = recording->options.counts, sampled_ = recording->options.sampled, lives_ = knows_lives();
    // The spans of the last record that touch lines which are calm or resting. Spans beyond kMostMet are only
    // counted.
    static constexpr u32 kMostMet = 8;
    const log::QuickSpan* first_ = nullptr;
    u32 met_ = 0;
    u16 met_spans_[kMostMet] = {};
};

}  // namespace memspy::order
