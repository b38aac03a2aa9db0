// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/recorder.h"

#include <new>

#include "rt/global.h"

namespace memspy::contention {

using threads::Chunk;
using threads::Clocks;
using threads::kNever;
using threads::kNoWord;
using threads::Record;
using threads::Shape;
using threads::Span;
using threads::Use;

namespace {

RecorderOptions options;
rt::Global<LineTable> table;
rt::Global<Clocks> all_clocks;
rt::Global<Merge<Strand>> merging;
rt::Global<rt::Vector<Strand*>> strands;  // that live or have something to be merged
RecorderCounts counts;
Time merged_until = 0;
// The merge is worth its while when there is something to merge: so many chunks at least, and twice what a merge left.
constexpr u32 kLeastChunks = 8;
u32 merge_at = kLeastChunks;

u32 living_strands() { return static_cast<u32>(strands->size()); }

Address line_begin(u64 line) { return line << table->line_bits(); }
Address line_end(u64 line) { return (line + 1) << table->line_bits(); }

bool happened(const Record& record, const Use& use) {
    return record.reached(use.proof) && (use.word == kNoWord || record.words()[use.word] != 0);
}
bool happened(const Record& record, const Span& span) {
    return record.reached(span.proof) && (span.word == kNoWord || record.words()[span.word] != 0);
}

// Calls f(line) for each line of the span.
template <typename F>
void for_each_line_of(const Record& record, const Span& span, F f) {
    const u64 last = table->line_of(record.address(span.word, span.high - 1));
    for (u64 line = table->line_of(record.address(span.word, span.low)); line <= last; ++line) f(line);
}

// What an access does to one of the lines that it touches.
LineAccess part_in(u64 line, Address a, u32 bytes, const Use& use) {
    const Address begin = a > line_begin(line) ? a : line_begin(line);
    const Address end = a + bytes < line_end(line) ? a + bytes : line_end(line);
    LineAccess part;
    part.first = static_cast<u8>(begin - line_begin(line));
    part.bytes = static_cast<u16>(end - begin);
    part.loads = use.loads;
    part.stores = use.stores;
    return part;
}

// Objects

OwnedBytes clipped_extent(u64 line, Address a) {
    OwnedBytes owned{.extent = find_extent(a)};
    if (owned.extent.begin < line_begin(line)) owned.extent.begin = line_begin(line);
    if (owned.extent.end > line_end(line)) owned.extent.end = line_end(line);
    return owned;
}

void forget_ended(rt::Vector<OwnedBytes>& owners) {
    usize kept = 0;
    for (const OwnedBytes& owned : owners)
        if (owned.until > merged_until) owners[kept++] = owned;
    owners.resize(kept);
}

// The object that owned `a` at `time`.
ObjectId object_at(SharedLine& shared, Address a, Time time) {
    const OwnedBytes* best = nullptr;
    for (const OwnedBytes& owned : *shared.owners)
        if (owned.extent.begin <= a && a < owned.extent.end && time < owned.until &&
            (best == nullptr || owned.until < best->until))
            best = &owned;
    if (best != nullptr) return best->extent.object;
    forget_ended(*shared.owners);
    shared.owners->push_back(clipped_extent(shared.line, a));
    return shared.owners->back().extent.object;
}

// Lines

Thread thread_with(u32 serial) {
    for (const Strand* strand : *strands)
        if (strand->thread().serial == serial) return strand->thread();
    // It is gone: any slot will do, since no thread has this serial there.
    return Thread{.slot = 0, .serial = serial};
}

void charge_cold(View view, SharedLine& shared, Thread owner) {
    Events events;
    events.cold = true;
    charge(view, *shared.tally, owner, object_at(shared, line_begin(shared.line), 0), Place{}, events);
}

// Makes the line shared. What its owner did to it is not known byte by byte; what has not been merged yet will be
// merged as it happened.
SharedLine& share(LineState& state, u64 line) {
    const u32 number = table->make_shared(line);
    const LineState before = state;
    state = LineState::shared(number);
    SharedLine& shared = (*table)(state);
    shared.tally = make_line_tally(line);
    shared.owners = new (rt::allocate(sizeof(*shared.owners), "memspy.owners")) rt::Vector<OwnedBytes>;
    for (u32 view = 0; view < kViews; ++view) {
        const bool owned =
            !before.is_untouched() && (view == static_cast<u32>(View::Observed) || before.is_merged());
        if (!owned) {
            shared.order[view] = make_ownership();
            continue;
        }
        const Thread owner = thread_with(before.owner());
        shared.order[view] = make_ownership_of(owner);
        charge_cold(static_cast<View>(view), shared, owner);
    }
    return shared;
}

// Notes that `t` touches the line. True when it is shared.
bool touch_slowly(LineState& state, u64 line, Thread t) {
    if (state.is_shared()) return true;
    if (state.is_untouched()) {
        if (!options.touched_before(line_begin(line))) {
            state = LineState::private_to(t.serial, false);
            return false;
        }
        state = LineState::private_to(options.first.serial, true);
        if (t == options.first) return false;
    }
    share(state, line);
    return true;
}

inline bool touch(u64 line, Thread t) {
    LineState& state = (*table)[line];
    if (!state.is_shared() && state.owner() == t.serial) [[likely]]
        return false;
    return touch_slowly(state, line, t);
}

// First reading

// The accesses of a record that touches shared lines, one by one.
void observe(Thread t, const Record& record, const Shape& shape, bool& worked) {
    for (const Use& use : shape.uses) {
        if (!happened(record, use)) continue;
        const Address a = record.address(use.word, use.offset);
        const u64 last = table->line_of(a + use.bytes - 1);
        for (u64 line = table->line_of(a); line <= last; ++line) {
            const LineState state = (*table)[line];
            if (!state.is_shared()) continue;
            SharedLine& shared = (*table)(state);
            const LineAccess part = part_in(line, a, use.bytes, use);
            if (shared.syncs) {
                const Address from = line_begin(line) + part.first;
                if (use.loads) all_clocks->load(t, from, part.bytes, use.atomic);
                if (use.stores) all_clocks->store(t, from, part.bytes, use.atomic);
            }
            worked |= use.stores;
            const Events events = apply(*shared.order[static_cast<u32>(View::Observed)], t, part);
            if (!events.any()) continue;
            charge(View::Observed, *shared.tally, t,
                   object_at(shared, line_begin(line) + part.first, all_clocks->now(t)),
                   Place{use.instruction, record.path}, events);
        }
    }
}

void count(const Record& record, const Shape& shape, AccessCounts& sum) {
    if (shape.always && record.reached(shape.segments[shape.segments.size() - 1].marker)) {
        sum.loads += shape.loads;
        sum.stores += shape.stores;
        return;
    }
    for (const Use& use : shape.uses) {
        if (!happened(record, use)) continue;
        sum.loads += use.loads;
        sum.stores += use.stores;
    }
}

// Words that the record loads plainly and does not store to.
u32 loaded_words(const Record& record, const Shape& shape, Address* words, u32 room) {
    u32 found = 0;
    for (const Use& use : shape.uses) {
        if (!happened(record, use) || !use.loads || use.stores || use.atomic || use.bytes > 8) continue;
        if (found < room) words[found++] = record.address(use.word, use.offset) & ~Address{3};
    }
    return found;
}

}  // namespace

void initialise_recorder(const RecorderOptions& given) {
    options = given;
    table->initialise(options.line_bytes);
    merging->set_latency(options.coherence_latency);
    threads::limit_chunks(options.log_chunks);
}

Clocks& clocks() { return *all_clocks; }

class Recorder {
public:
    static Strand* make(Thread thread) {
        auto* strand = new (rt::allocate(sizeof(Strand), "memspy.strand")) Strand(thread);
        strands->push_back(strand);
        add_chunk(*strand);
        strand->oldest_ = strand->newest_;
        strand->at_ = strand->newest_->begin;
        merging->add(strand);
        return strand;
    }

    static void add_chunk(Strand& strand) {
        Chunk* chunk = threads::take_chunk();
        if (chunk == nullptr) {
            merge_now();
            while ((chunk = threads::take_chunk()) == nullptr) force();
        }
        ++strand.chunks_;
        for (const Record*& recent : strand.recent_) recent = nullptr;
        if (strand.newest_ != nullptr) strand.newest_->next = chunk;
        strand.newest_ = chunk;
    }

    static void read(Strand& strand, u64* end) {
        const Thread t = strand.thread_;
        ThreadRow& row = thread_row(t);
        AccessCounts sum;
        u64 instructions = 0;
        for (u64* at = strand.newest_->end; at != end;) {
            auto& record = *reinterpret_cast<Record*>(at);
            const Shape& shape = threads::shape(record.shape);
            record.time = all_clocks->now(t);
            bool shared = false;
            for (const Span& span : shape.spans)
                if (happened(record, span))
                    for_each_line_of(record, span, [&](u64 line) { shared |= touch(line, t); });
            if (shared) observe(t, record, shape, strand.worked_);
            count(record, shape, sum);
            const u32 executed = record.executed(shape);
            instructions += executed;
            all_clocks->advance(t, executed);
            strand.recent_[strand.next_recent_++ % Strand::kRecent] = &record;
            if (shape.yields) [[unlikely]]
                poll(strand);
            at += shape.record_words();
        }
        strand.newest_->end = end;
        row.accesses.loads += sum.loads;
        row.accesses.stores += sum.stores;
        row.instructions += instructions;
    }

    static bool renew(Strand& strand) {
        if (threads::chunks_taken() >= merge_at) merge_now();
        add_chunk(strand);
        // A fair share of half the log: the other half is for those who are behind.
        return strand.chunks_ * living_strands() * 2 > threads::chunk_limit();
    }

    static void merge_now() {
        merge_until(all_clocks->horizon());
        const u32 left = threads::chunks_taken();
        merge_at = 2 * left > kLeastChunks ? 2 * left : kLeastChunks;
        if (merge_at > threads::chunk_limit()) merge_at = threads::chunk_limit();
    }

    static void merge_until(Time horizon) {
        merging->run(horizon);
        if (horizon > merged_until && horizon != kNever) merged_until = horizon;
        for (usize i = 0; i < strands->size();) {
            Strand* strand = (*strands)[i];
            if (strand->gone_ && strand->is_merged()) {
                options.merged(strand->thread_);
                drop(strand);
                (*strands)[i] = strands->back();
                strands->pop_back();
            } else {
                ++i;
            }
        }
    }

    static void drop(Strand* strand) {
        merging->remove(strand);
        for (Chunk* chunk = strand->oldest_; chunk != nullptr;) {
            Chunk* next = chunk->next;
            threads::give_back(chunk);
            chunk = next;
        }
        rt::release(strand);
    }

    // Has what is oldest merged though other threads may still come to that time.
    static void force() {
        const Strand* largest = (*strands)[0];
        for (const Strand* strand : *strands)
            if (strand->chunks_ > largest->chunks_) largest = strand;
        CHECK(largest->chunks_ > 1);
        const auto& behind = *reinterpret_cast<const Record*>(largest->oldest_->next->begin);
        const Time until = largest->oldest_->next->end != largest->oldest_->next->begin
                               ? behind.time + 1
                               : all_clocks->now(largest->thread_) + 1;
        ++counts.forced;
        counts.lifted += all_clocks->force_horizon(until > merged_until ? until : merged_until + 1);
        merge_until(all_clocks->horizon());
    }

    static void forget_others(Strand* mine) {
        for (Strand* strand : *strands) {
            if (strand == mine) continue;
            options.merged(strand->thread_);
            drop(strand);
        }
        strands->resize(0);
        strands->push_back(mine);
        for (Chunk* chunk = mine->oldest_; chunk != mine->newest_;) {
            Chunk* next = chunk->next;
            threads::give_back(chunk);
            chunk = next;
        }
        mine->oldest_ = mine->newest_;
        mine->at_ = mine->newest_->end;
        mine->in_record_ = false;
        mine->chunks_ = 1;
        counts = RecorderCounts{};
    }

    static void set_gone(Strand& strand) { strand.gone_ = true; }
    static u64* begin(const Strand& strand) { return strand.newest_->end; }

    // The latest first, since there is room for a few only.
    static void poll(Strand& strand) {
        Address words[Clocks::kMostPolled];
        u32 found = 0;
        for (u32 back = 1; back <= Strand::kRecent && found < Clocks::kMostPolled; ++back) {
            const Record* record = strand.recent_[(strand.next_recent_ - back) % Strand::kRecent];
            if (record == nullptr) break;
            found += loaded_words(*record, threads::shape(record->shape), words + found, Clocks::kMostPolled - found);
        }
        all_clocks->poll(strand.thread_, words, found, strand.worked_);
        strand.worked_ = false;
        watch_new_words();
    }
};

Strand* make_strand(Thread thread) { return Recorder::make(thread); }
u64* log_begin(const Strand& strand) { return Recorder::begin(strand); }
void read(Strand& strand, u64* end) { Recorder::read(strand, end); }
bool renew_chunk(Strand& strand) { return Recorder::renew(strand); }
void thread_gone(Strand* strand) { Recorder::set_gone(*strand); }
void merge() { Recorder::merge_now(); }
void merge_all() { Recorder::merge_until(kNever); }
void forget_others(Strand* mine) { Recorder::forget_others(mine); }
const RecorderCounts& recorder_counts() { return counts; }

// Second reading

bool Strand::is_interesting(const Record& record, const Shape& shape) const {
    bool shared = false;
    for (const Span& span : shape.spans)
        if (happened(record, span))
            for_each_line_of(record, span, [&](u64 line) { shared |= (*table)[line].is_shared(); });
    return shared;
}

namespace {

// A touch of a private line has gone through the merge.
void pass_private(LineState& state) {
    if (!state.is_merged() && !state.is_untouched()) state = LineState::private_to(state.owner(), true);
}

}  // namespace

// Makes the record at at_ the present one, passing those that touch private lines only.
bool Strand::enter_record(Time horizon) {
    for (;;) {
        if (at_ == oldest_->end) {
            if (oldest_ == newest_) return false;
            Chunk* passed = oldest_;
            oldest_ = oldest_->next;
            at_ = oldest_->begin;
            --chunks_;
            threads::give_back(passed);
            continue;
        }
        const auto& record = *reinterpret_cast<const Record*>(at_);
        const Shape& shape = threads::shape(record.shape);
        if (record.time >= horizon) return false;
        if (is_interesting(record, shape)) {
            in_record_ = true;
            early_count_ = 0;
            use_ = 0;
            line_ = 0;
            return true;
        }
        if (record.time + record.executed(shape) >= horizon) return false;
        for (const Span& span : shape.spans)
            if (happened(record, span))
                for_each_line_of(record, span, [&](u64 line) { pass_private((*table)[line]); });
        at_ += shape.record_words();
    }
}

bool Strand::next(Time horizon, Time* time) {
    while (in_record_ || enter_record(horizon)) {
        const auto& record = *reinterpret_cast<const Record*>(at_);
        const Shape& shape = threads::shape(record.shape);
        for (; use_ < shape.uses.size(); ++use_, line_ = 0) {
            const Use& use = shape.uses[use_];
            if (!happened(record, use) || is_early(use_)) continue;
            const Address a = record.address(use.word, use.offset);
            const u64 first = table->line_of(a), last = table->line_of(a + use.bytes - 1);
            for (; first + line_ <= last; ++line_) {
                LineState& state = (*table)[first + line_];
                if (!state.is_shared()) {
                    pass_private(state);
                    continue;
                }
                // The clock stands still while a thread spins; its accesses keep their order all the same.
                time_ = record.time + use.ordinal > last_ ? record.time + use.ordinal : last_;
                if (time_ >= horizon) return false;
                shared_ = &(*table)(state);
                *time = time_;
                return true;
            }
        }
        in_record_ = false;
        at_ += shape.record_words();
    }
    return false;
}

bool Strand::is_early(usize use) const {
    for (u32 i = 0; i < early_count_; ++i)
        if (early_[i] == use) return true;
    return false;
}

// Does the record's use to the line shared_ points to.
Events Strand::apply_use(usize number) {
    const auto& record = *reinterpret_cast<const Record*>(at_);
    const Use& use = threads::shape(record.shape).uses[number];
    const Address a = record.address(use.word, use.offset);
    const LineAccess part = part_in(shared_->line, a, use.bytes, use);
    const Place place{use.instruction, record.path};
    const ObjectId object = object_at(*shared_, line_begin(shared_->line) + part.first, time_);
    count_access(*shared_->tally, thread_, object, place, part);
    const Events events = apply(*shared_->order[static_cast<u32>(View::Modelled)], thread_, part);
    if (events.any()) charge(View::Modelled, *shared_->tally, thread_, object, place, events);
    ++counts.merged;
    return events;
}

// The use that follows the present one on its line, when it is a store within reach that touches no other line; else
// the number of uses.
usize Strand::store_along() const {
    const auto& record = *reinterpret_cast<const Record*>(at_);
    const Shape& shape = threads::shape(record.shape);
    const u16 reach = static_cast<u16>(shape.uses[use_].ordinal + kTogether);
    for (usize i = use_ + 1; i < shape.uses.size() && shape.uses[i].ordinal <= reach; ++i) {
        const Use& use = shape.uses[i];
        if (!happened(record, use) || is_early(i)) continue;
        const Address a = record.address(use.word, use.offset);
        const u64 first = table->line_of(a), last = table->line_of(a + use.bytes - 1);
        if (first > shared_->line || shared_->line > last) continue;
        return use.stores && first == last ? i : shape.uses.size();
    }
    return shape.uses.size();
}

static u32 number_of(const Events& events) {
    return (events.first_touch || events.coherence ? 1u : 0u) + (events.invalidation ? 1u : 0u);
}

u32 Strand::consume() {
    const Shape& shape = threads::shape(reinterpret_cast<const Record*>(at_)->shape);
    const Events events = apply_use(use_);
    u32 happened = number_of(events);
    last_ = time_;
    ++line_;
    const bool missed = events.cold || events.first_touch || events.coherence;
    if (!missed || shape.uses[use_].stores || early_count_ == kMostEarly) return happened;
    const usize along = store_along();
    if (along == shape.uses.size()) return happened;
    early_[early_count_++] = static_cast<u16>(along);
    return happened + number_of(apply_use(along));
}

// Owners and waiting

void retire(Address begin, Address end) {
    if (begin >= end) return;
    Time now = merged_until;
    for (const Strand* strand : *strands)
        if (const Time time = all_clocks->now(strand->thread()); time > now) now = time;
    table->for_each_shared(begin, end, [&](SharedLine& shared) {
        Address a = begin > line_begin(shared.line) ? begin : line_begin(shared.line);
        const Address last = end < line_end(shared.line) ? end : line_end(shared.line);
        while (a < last) {
            OwnedBytes* owned = nullptr;
            for (OwnedBytes& candidate : *shared.owners)
                if (candidate.until == kNever && candidate.extent.begin <= a && a < candidate.extent.end)
                    owned = &candidate;
            if (owned == nullptr) {
                shared.owners->push_back(clipped_extent(shared.line, a));
                owned = &shared.owners->back();
            }
            owned->until = now + 1;
            a = owned->extent.end;
        }
    });
    all_clocks->forget(begin, end - begin);
}

void poll(Strand& strand) { Recorder::poll(strand); }

void watch_new_words() {
    for (Address a; all_clocks->take_new_word(&a);) {
        const u64 line = table->line_of(a);
        LineState& state = (*table)[line];
        SharedLine& shared = state.is_shared() ? (*table)(state) : share(state, line);
        shared.syncs = true;
    }
}

}  // namespace memspy::contention
