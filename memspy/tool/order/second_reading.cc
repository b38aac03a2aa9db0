// SPDX-License-Identifier: GPL-2.0-or-later
//
// Second reading of a log, as the merge asks for it: records before the horizon go to the modelled order,
// except accesses known to have no effect there. Runs that the first reading found quiet are passed at once
// if they are still quiet.
//
// Other consumers may want the records in the replay's order (log/consumer.h). They get each record at its
// virtual time, whether or not the merge needs it, and with it those that follow before any other thread's
// step.
//
// A load that misses also brings the line for a store to it within kTogether instructions: no other thread
// gets in between, because a processor looks that far ahead and requests the line once. (Without this rule,
// the count of `n++` would depend on whether the compiler makes one instruction or two of it.)
#include <algorithm>

#include "order/line_sampler.h"
#include "order/passing.h"
#include "order/quick_look.h"
#include "order/rules.h"

namespace memspy::order {
namespace {

Touch touch_of(const AccessUse& use, Address a, u64 line) {
    Touch touch{line, 0, 0, 0, 0};
    if (line == lines().line_of(a)) {
        touch.loads = use.loads;
        touch.stores = use.stores;
    }
    if (recording->options.line_bytes != 64) {
        touch.read = use.loads ? ~u64{0} : 0;
        touch.written = use.stores ? ~u64{0} : 0;
        return touch;
    }
    const LineAccess part = part_in(line, a, use.bytes, use);
    const u64 bytes = bytes_of(part);
    if (use.loads) touch.read = bytes;
    if (use.stores) touch.written = bytes;
    return touch;
}

}  // namespace

// Whether the record has an access that must be merged. Does not settle anything.
Strand::Interest Strand::interest_in(const Record& record, const Shape& shape) const {
    if (is_quiet(thread_, record, shape)) return Interest::None;
    Interest interest = Interest::None;
    const Time end = (record.time > last_ ? record.time : last_) + shape.instructions;
    const Time until = end + recording->merge.delay_of(thread_.serial);
    for_each_touch(record, shape, [&](const Touch& touch) {
        if (interest == Interest::Merge) return;
        const LineState state = lines()[touch.line];
        if (state.is_all_of(thread_.serial)) return;
        interest = Interest::Settle;
        if (state.is_owned_by(thread_.serial) || state.is_read_only() || is_of_before(state, thread_) ||
            has_left(touch.line))
            return;
        if (touch.written == 0 && is_known_at_rest(state, thread_)) return;
        const bool known = state.is_shared() || (state.is_resting() && touch.written == 0);
        if (!known || until > recording->merge.final_before() ||
            !teaches_nothing(lines().of(state), touch, record.time, until))
            interest = Interest::Merge;
    });
    return interest;
}

// Whether accesses to the shared line have no event in the modelled order, and those of other threads that
// are still to be merged come later. What other threads' logs do not have yet is behind the horizon.
bool Strand::teaches_nothing(SharedLine& shared, const Touch& touch, Time time, Time until) const {
    const bool meets = touch.written != 0
                           ? shared.turns.any_of_others(thread_.slot, until, merged_at(shared))
                           : shared.turns.any_stores_of_others(thread_.slot, until, merged_at(shared));
    if (meets || recording->options.line_bytes > 64 ||
        (touch.written != 0 && recording->polled.has(shared.line)))
        return false;
    const Ownership& order = *shared.order[static_cast<u32>(View::Modelled)];
    return (touch.written != 0 ? is_only_holder(order, thread_) : holds(order, thread_)) &&
           !(shared.passed && may_miss(shared, thread_, time));
}

// Applies the record's accesses to a line that the thread alone holds: there are no events.
void Strand::apply_alone(SharedLine& shared, const Record& record, const Shape& shape) const {
    for (const AccessUse& use : shape.uses) {
        if (!happened(record, use)) continue;
        const Address a = record.address(use.word, use.offset);
        if (lines().line_of(a) > shared.line || shared.line > lines().line_of(a + use.bytes - 1)) continue;
        const LineAccess part = part_in(shared.line, a, use.bytes, use);
        const ObjectId object = object_at(shared, line_begin(shared.line) + part.first, record.time);
        recording->options.observer.accessed(shared.notes, thread_, object,
                                             Place{use.instruction, record.path}, part);
        apply(shared.order[static_cast<u32>(View::Modelled)], thread_, part);
    }
}

// The record has no access that must be merged.
void Strand::pass(const Record& record, const Shape& shape) {
    for_each_touch(record, shape, [&](const Touch& touch) {
        const LineState state = lines()[touch.line];
        if (has_left(touch.line)) return;
        if (!state.is_shared() && !needs_merge(thread_, touch, record, shape)) return;
        SharedLine& shared = lines().of(state);
        Ownership& order = *shared.order[static_cast<u32>(View::Modelled)];
        if (state.is_shared() && touch.written != 0 &&
            !is_settled(order, thread_, touch.read, touch.written)) {
            apply_alone(shared, record, shape);
        } else {
            if (touch.loads + touch.stores != 0)
                count_together(shared, thread_, touch.read, touch.written, {touch.loads, touch.stores},
                               record.time);
            if (!state.is_shared()) return;
            if (touch.written == 0) add_read(order, thread_, touch.read);
        }
        if (++shared.quiet >= rules::kQuiet) {
            shared.quiet = 0;
            perhaps_calm(shared, thread_);
        }
        if (touch.written == 0 && lines()[touch.line].is_shared()) perhaps_rest(shared);
    });
}

// The run of records around at_ that the first reading found quiet, if they are still quiet.
const Chunk::RecordRun* Strand::quiet_run() {
    const rt::Vector<Chunk::RecordRun>& runs = oldest_->runs;
    const u16 at = oldest_->word_of(at_);
    while (run_ < runs.size() && runs[run_].end <= at) ++run_;
    if (run_ == runs.size() || runs[run_].first > at) return nullptr;
    const Chunk::RecordRun& run = runs[run_];
    return run.sequence > lost_until_ ? &run : nullptr;
}

// The first record from `at` on that does not end before the horizon.
u64* Strand::pass_until(Time horizon, u64* at, const u64* end) {
    while (at != end) {
        const auto& record = *reinterpret_cast<const Record*>(at);
        if (record.time + record.executed(log::shape(record.shape)) > horizon) break;
        at += log::record_words(record.shape);
    }
    return at;
}

// Records of the lines that the next records touch, and their orders, are fetched into the host's cache. The
// states of these lines should be there since the first reading.
void Strand::fetch_lines() {
    constexpr u32 kRecordAhead = 48, kOrderAhead = 24;
    if (fetched_in_ != oldest_ || records_fetched_ < at_) {
        fetched_in_ = oldest_;
        records_fetched_ = orders_fetched_ = at_;
    }
    const u64* const end = oldest_->end;
    if (orders_fetched_ < at_) orders_fetched_ = at_;
    fetch_ahead(records_fetched_, std::min<const u64*>(at_ + kRecordAhead, end),
                [](u64 a) { lines().prefetch_record(a); });
    fetch_ahead(orders_fetched_, std::min<const u64*>(at_ + kOrderAhead, end),
                [](u64 a) { lines().prefetch_order(a, View::Modelled); });
}

// Makes the record at at_ the present one, after passing those that have nothing to merge.
bool Strand::enter_record(Time horizon) {
    for (;;) {
        if (!recording->options.counts) at_ = passed_;
        if (at_ == oldest_->end) {
            if (oldest_ == newest_) return false;
            Chunk* passed = oldest_;
            oldest_ = oldest_->next;
            at_ = passed_ = oldest_->begin;
            fetched_in_ = nullptr;
            --chunks_;
            run_ = 0;
            log::give_back(passed);
            continue;
        }
        const bool ordered = recording->options.in_order != nullptr || recording->samples.sampling;
        if (ordered && at_ == passed_) {
            const auto& record = *reinterpret_cast<const Record*>(at_);
            time_ = record.time > last_ ? record.time : last_;
            passing_ = time_ < horizon;
            return passing_;
        }
        if (const Chunk::RecordRun* run = quiet_run()) {
            u64* end = oldest_->begin + run->end;
            Time last = run->last;
            if (ordered && passed_ < end) {
                end = passed_;
                last = reinterpret_cast<const Record*>(passed_)->time;
            }
            // If the run is disturbed when the horizon moves on, then by an access behind the horizon. So
            // what comes before is passed now; it would be too late afterwards, and delay the thread.
            if (last > horizon) {
                at_ = pass_until(horizon, at_, end);
                return false;
            }
            at_ = end;
            ++recording->counts.quiet;
            continue;
        }
        const auto& record = *reinterpret_cast<const Record*>(at_);
        const Shape& shape = log::shape(record.shape);
        fetch_lines();
        if (record.time >= horizon) {
            // A thread may wait for long in a call of which nothing is left (polls, functions that work on
            // locks). What others know of its progress must not end there.
            if (ordered || !shape.uses.empty()) return false;
            at_ += log::record_words(record.shape);
            continue;
        }
        const Interest interest = interest_in(record, shape);
        if (interest == Interest::Merge) {
            ++recording->counts.interesting;
            in_record_ = true;
            early_count_ = 0;
            use_ = 0;
            line_ = 0;
            return true;
        }
        if (record.time + record.executed(shape) > horizon) return false;
        if (interest == Interest::Settle) pass(record, shape);
        at_ += log::record_words(record.shape);
    }
}

void Strand::note_progress() {
    const bool has_record = at_ != oldest_->end || oldest_ != newest_;
    if (!has_record) return recording->progress.set(thread_.slot, kNever, kNever, 0);
    const Time next = next_record(), delay = recording->merge.delay_of(thread_.serial);
    // The record may be behind waits.
    const Time begins = next_step_ < steps_.size() ? std::max(steps_[next_step_].time, last_) : next;
    recording->progress.set(thread_.slot, next, std::min(next, begins) + delay,
                            waits_ahead_ == 0 ? delay : 0);
}

// A thread that sleeps in a call on a lock has the call's update left, and others use its lines meanwhile.
void Strand::note_left() const {
    constexpr long kLittle = 256;  // words
    if (oldest_ != newest_ || at_ == newest_->end || newest_->end - at_ > kLittle) return;
    u64 left = Progress::kNoLine;
    for_each_record(at_, newest_->end, [&](const Record& record, const Shape& shape) {
        for_each_touch(record, shape, [&](const Touch& touch) {
            const bool is_first = left == Progress::kNoLine || left == touch.line;
            left = is_first ? touch.line : Progress::kAnyLine;
        });
    });
    recording->progress.set_left(thread_.slot, left);
}

bool Strand::waiting() const { return is_merged() && (gone_ || recording->clocks.is_blocked(thread_)); }

bool Strand::next(Time horizon, Step* step) {
    Time time = 0;
    horizon_ = horizon;
    // What comes behind a step may be delayed by it.
    const bool has_step = next_step_ < steps_.size() && steps_[next_step_].time < horizon;
    const bool has_access = next_access(has_step ? steps_[next_step_].time : horizon, &time);
    note_progress();
    if (has_step && !has_access) {
        *step = steps_[next_step_];
        if (step->time < last_) step->time = last_;
        if (step->until < step->time) step->until = step->time;
        at_step_ = true;
        return true;
    }
    step->kind = Step::StepKind::Access;
    step->time = time;
    return has_access;
}

u32 Strand::consume() {
    if (!at_step_) {
        if (!passing_) return consume_access();
        tell_in_order();
        return 0;
    }
    at_step_ = false;
    const Step& step = steps_[next_step_++];
    if (step.kind == Step::StepKind::GoOn) --waits_ahead_;
    if (step.kind == Step::StepKind::Poll)
        recording->polled.begin(thread_, lines().line_of(step.lock), step.lock, step.when,
                                recording->merge.now(), step.place);
    if (step.kind == Step::StepKind::PollEnd) recording->polled.end(thread_);
    const Time until = step.kind == Step::StepKind::GoOn ? step.until : step.time;
    if (until > last_) last_ = until;
    if (next_step_ == steps_.size()) {
        steps_.resize(0);
        next_step_ = 0;
    }
    return 0;
}

bool Strand::next_access(Time horizon, Time* time) {
    passing_ = false;
    while (in_record_ || enter_record(horizon)) {
        if (passing_) {
            *time = time_;
            return true;
        }
        const auto& record = *reinterpret_cast<const Record*>(at_);
        const Shape& shape = log::shape(record.shape);
        for (; use_ < shape.uses.size(); ++use_, line_ = 0) {
            const AccessUse& use = shape.uses[use_];
            if (!happened(record, use) || is_early(use_)) continue;
            const Address a = record.address(use.word, use.offset);
            const u64 first = lines().line_of(a), last = lines().line_of(a + use.bytes - 1);
            for (; first + line_ <= last; ++line_) {
                const u64 line = first + line_;
                // The clock stands still while a thread spins, but the thread's accesses keep their order.
                time_ = record.time + use.ordinal > last_ ? record.time + use.ordinal : last_;
                // A line behind the horizon may still become shared.
                if (time_ >= horizon) return false;
                if (has_left(line) || !needs_merge(thread_, touch_of(use, a, line), record, shape)) continue;
                shared_ = &merged_line(lines()[line], line, thread_, time_, use.stores);
                *time = time_;
                return true;
            }
        }
        in_record_ = false;
        at_ += log::record_words(record.shape);
    }
    return false;
}

void Strand::tell_in_order() {
    passing_ = false;
    last_ = time_;
    Time until = alone_until_;
    if (recording->options.order_slack != nullptr) {
        const Time allowed = time_ + recording->options.order_slack();
        if (allowed > until) until = allowed;
    } else if (recording->options.in_order == nullptr) {
        until = std::max(until, time_ + kSampleSlack);
    }
    if (horizon_ < until) until = horizon_;
    if (next_step_ < steps_.size() && steps_[next_step_].time < until) until = steps_[next_step_].time;
    const u64* const first = passed_;
    do passed_ += log::record_words(reinterpret_cast<const Record*>(passed_)->shape);
    while (passed_ != oldest_->end && reinterpret_cast<const Record*>(passed_)->time < until);
    if (!recording->options.counts) at_ = passed_;
    if (recording->options.in_order != nullptr) recording->options.in_order(thread_, first, passed_);
    if (recording->samples.sampling) [[unlikely]]
        keep_in_sample(thread_, first, passed_, time_);
}

bool Strand::is_early(usize use) const {
    for (u32 i = 0; i < early_count_; ++i)
        if (early_[i] == use) return true;
    return false;
}

// Applies the record's use to the line that shared_ points to.
Events Strand::apply_use(usize number) {
    const auto& record = *reinterpret_cast<const Record*>(at_);
    const AccessUse& use = log::shape(record.shape).uses[number];
    const Address a = record.address(use.word, use.offset);
    const LineAccess part = part_in(shared_->line, a, use.bytes, use);
    const Place place{use.instruction, record.path};
    const ObjectId object = object_at(*shared_, line_begin(shared_->line) + part.first, time_);
    recording->options.observer.accessed(shared_->notes, thread_, object, place, part);
    Lives& lives = shared_->use->lives;
    Lives::Standing found;
    if (lives.any()) [[unlikely]]
        found = lives.find(thread_, time_, bytes_of(part), part.stores, has_begun);
    if (found.late) {
        const Events late = lives.late_events(found, part.stores);
        if (found.doubtful) count_left_out(*shared_, thread_, part.stores, object);
        if (late.any()) {
            take_time(late, object);
            recording->options.observer.had_events(View::Modelled, shared_->notes, thread_, object, place,
                                                   late);
        }
        ++recording->counts.merged;
        return late;
    }
    if (part.stores && !recording->polled.empty()) [[unlikely]]
        recording->polled.store(*shared_, thread_, recording->merge.now());
    Ownership*& order = shared_->order[static_cast<u32>(View::Modelled)];
    if (part.stores && takes_copies(*order, thread_))
        recording->options.observer.taken(shared_->notes, *order);
    Events events = apply(order, thread_, part);
    lives.begin(found, part.stores, events);
    if (shared_->passed) [[unlikely]]
        count_missing(*shared_, thread_, use.stores, time_, object);
    if (events.any()) {
        take_time(events, object);
        recording->options.observer.had_events(View::Modelled, shared_->notes, thread_, object, place,
                                               events);
        shared_->quiet = 0;
    } else if (++shared_->quiet >= rules::kQuiet) {
        shared_->quiet = 0;
        perhaps_calm(*shared_, thread_);
    }
    ++recording->counts.merged;
    return events;
}

// What the events cost the thread (replay/what_if.h).
void Strand::take_time(const Events& events, ObjectId object) {
    WhatIf& what_if = recording->merge.what_if();
    const u32 falsely = events.false_count() - events.hide_true();
    const u32 suspect = events.count() == 0
                            ? WhatIf::kNoSuspect
                            : recording->options.observer.blames(object, events.count(), shared_->blamed);
    what_if.events(thread_.serial, events.count(), falsely, suspect);
    what_if.came(recording->merge.now(), events.count(), suspect);
    recording->counts.events += events.count();
}

// The next use on the present one's line, if it is a store within reach that touches no other line; else the
// number of uses.
usize Strand::store_along() const {
    const auto& record = *reinterpret_cast<const Record*>(at_);
    const Shape& shape = log::shape(record.shape);
    const u16 reach = static_cast<u16>(shape.uses[use_].ordinal + rules::kTogether);
    for (usize i = use_ + 1; i < shape.uses.size() && shape.uses[i].ordinal <= reach; ++i) {
        const AccessUse& use = shape.uses[i];
        if (!happened(record, use) || is_early(i)) continue;
        const Address a = record.address(use.word, use.offset);
        const u64 first = lines().line_of(a), last = lines().line_of(a + use.bytes - 1);
        if (first > shared_->line || shared_->line > last) continue;
        return use.stores && first == last ? i : shape.uses.size();
    }
    return shape.uses.size();
}

u32 Strand::consume_access() {
    const Shape& shape = log::shape(reinterpret_cast<const Record*>(at_)->shape);
    const Events events = apply_use(use_);
    u32 happened = events.count();
    last_ = time_;
    if (!recording->merge.delayed() && time_ > recording->merged_until) recording->merged_until = time_;
    ++line_;
    const bool missed = events.cold || events.first_touch || events.coherence;
    if (!missed || shape.uses[use_].stores || early_count_ == kMostEarly) return happened;
    const usize along = store_along();
    if (along == shape.uses.size() || !lines()[shared_->line].is_shared()) return happened;
    early_[early_count_++] = static_cast<u16>(along);
    return happened + apply_use(along).count();
}

}  // namespace memspy::order
