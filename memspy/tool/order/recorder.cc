// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/recorder.h"

#include <algorithm>
#include <new>

#include "order/line_life.h"
#include "order/passing.h"
#include "order/rules.h"
#include "threads/call_tree.h"

namespace memspy::order {

rt::Global<RecorderState> recording;

namespace {

// A merge pays only if it has enough to do: at least this many chunks, and twice what the last merge left.
// But not many more, because loads cannot be skipped while stores wait to be merged.
constexpr u32 kLeastChunks = 8, kMostMore = 32;
u32 merge_at = kLeastChunks;

// Words below are numbers of locks that have no address (sync/lock_functions.h).
constexpr Address kLeastAddress = 4096;

// When a thread ends: its time in the replay.
Time end_of(const Strand& strand) {
    return strand.ended_at() + recording->merge.delay_of(strand.thread().serial);
}

void drop(Strand* strand) {
    recording->polled.end(strand->thread());
    const Thread t = strand->thread();
    if (end_of(*strand) > recording->ended) recording->ended = end_of(*strand);
    recording->merge.what_if().ended(t.serial, strand->ended_at());
    recording->merge.waits().times().ended(t.serial, end_of(*strand));
    recording->merge.remove(strand);
    quiet_thread_gone(t);
    recording->progress.set(t.slot, kNever);
    strand->give_back_chunks();
    rt::destroy(strand);
}

// The objects of words that threads waited for are looked up soon, because memory may get another owner.
void name_waits() {
    rt::Vector<WaitRow>& rows = recording->merge.waits().rows();
    for (; recording->named_waits < rows.size(); ++recording->named_waits) {
        WaitRow& row = rows[recording->named_waits];
        if (row.word < kLeastAddress) continue;
        if (row.kind == WaitKind::Word && clocks().is_end(row.word)) row.kind = WaitKind::End;
        const LineState state = lines().look(row.word);
        const bool shared = state.is_shared() || state.is_resting() || state.is_calm();
        row.object = shared ? object_at(lines().of(state), row.word, recording->merge.now())
                            : places::find_extent(row.word).object;
        row.offset = row.word - places::find_extent(row.word).start;
    }
}

// `forced`: passes also steps that the coherence latency of other events might still precede.
void merge_until(Time horizon, bool forced = false) {
    if (forced)
        recording->merge.force(horizon);
    else
        recording->merge.run(horizon);
    name_waits();
    if (horizon == kNever) horizon = recording->latest;
    horizon = recording->merge.replayed_until(horizon);
    if (horizon > recording->merged_until) recording->merged_until = horizon;
    recording->semaphores.take_forgotten(recording->merged_until,
                                         [](u64 number) { recording->merge.forget_semaphore(number); });
    rt::Vector<Strand*>& strands = recording->strands;
    for (usize i = 0; i < strands.size();) {
        Strand* strand = strands[i];
        if (strand->is_gone() && strand->is_merged()) {
            recording->options.merged(strand->thread());
            drop(strand);
            strands[i] = strands.back();
            strands.pop_back();
        } else {
            strand->note_left();
            ++i;
        }
    }
}

// Has the oldest records merged, though other threads may still have earlier ones.
void force() {
    const Strand* largest = recording->strands[0];
    for (const Strand* strand : recording->strands)
        if (strand->chunks() > largest->chunks()) largest = strand;
    // There is hardly a chunk for each living thread, so more chunks are allowed.
    if (largest->chunks() <= 1) return log::limit_chunks(log::chunk_limit() + kLeastChunks);
    const Time until = largest->second_chunk_begins() + 1;
    ++recording->counts.forced;
    recording->counts.lifted += recording->clocks.force_horizon(
        until > recording->merged_until ? until : recording->merged_until + 1);
    merge_until(recording->clocks.horizon(), true);
}

Chunk* chunk_for_more() {
    Chunk* chunk = log::take_chunk();
    if (chunk != nullptr) return chunk;
    merge();
    while ((chunk = log::take_chunk()) == nullptr) force();
    return chunk;
}

}  // namespace

void initialise_recorder(const RecorderOptions& options) {
    recording->options = options;
    recording->lines.initialise(options.line_bytes);
    recording->own_locks.use(recording->clocks.words());
    recording->merge.set_latency(options.coherence_latency);
    recording->merge.what_if().start(options.event_cost);
    log::limit_chunks(options.log_chunks);
    constexpr u64 kLookedThrough = u64{1} << 24;  // 0.1 s at most
    recording->look_back = kLookedThrough;
}

Time virtual_time(Thread t) { return recording->clocks.now(t) + recording->merge.delay_of(t.serial); }

Behind Behind::now() {
    Behind result;
    Slowest* const slowest = result.slowest_;
    for (Strand* strand : recording->strands) {
        const Thread t = strand->thread();
        if (strand->is_here() && recording->clocks.has_to_look(t)) {
            if (result.lookers_[0] == nullptr)
                result.lookers_[0] = strand;
            else if (result.lookers_[1] == nullptr)
                result.lookers_[1] = strand;
        }
        if (!strand->can_go_on()) continue;
        const Time delayed = recording->clocks.time_to_run(t) + recording->merge.delay_of(t.serial);
        if (delayed < slowest[0].time) {
            slowest[1] = slowest[0];
            slowest[0] = {strand, delayed};
        } else if (delayed < slowest[1].time) {
            slowest[1] = {strand, delayed};
        }
    }
    return result;
}

Slowest Behind::slowest_but(Thread t) const {
    return slowest_[0].strand != nullptr && slowest_[0].strand->thread() == t ? slowest_[1] : slowest_[0];
}

Strand* Behind::looker_but(Thread t) const {
    return lookers_[0] != nullptr && lookers_[0]->thread() == t ? lookers_[1] : lookers_[0];
}

bool does_any_wait(Thread but) {
    for (const Strand* strand : recording->strands)
        if (strand->thread() != but && !strand->is_gone() &&
            (strand->is_stuck() || recording->clocks.looks_for_words(strand->thread())))
            return true;
    return false;
}

u32 blocks_behind(Thread t, const Record& record) {
    const Shape& shape = log::shape(record.shape);
    for (const AccessUse& use : shape.uses)
        if (use.stores && happened(record, use) &&
            recording->clocks.is_polled_by_others(t, record.address(use.word, use.offset), use.bytes))
            return rules::kLookersFirst;
    return ~u32{0};
}

VirtualEnd virtual_end() {
    VirtualEnd result{
        .end = recording->ended, .price = recording->merge.what_if().price(), .costly = {}, .varies = {}};
    rt::Vector<WhatIf::Living> living;
    for (const Strand* strand : recording->strands) {
        living.push_back({strand->thread().serial, strand->ended_at()});
        if (end_of(*strand) > result.end) result.end = end_of(*strand);
    }
    result.costly = recording->merge.what_if().end(living);
    for (u32 i = 0; i < WhatIf::kSuspects; ++i) result.varies[i] = recording->merge.what_if().varies_by(i);
    return result;
}

LockTaken held_by(Thread t) { return recording->merge.held_by(t.serial); }
WhatIf& what_if() { return recording->merge.what_if(); }
const u64* turns_of_lock(Address word) { return recording->merge.what_if().turns_of(word); }

const Waits& waits() {
    for (WaitRow& row : recording->merge.waits().rows()) {
        Address return_address = 0;
        if (row.place.instruction != 0 || threads::return_addresses(row.place.path, &return_address, 1) == 0)
            continue;
        row.place = {return_address - 1, threads::parent_of(row.place.path)};
    }
    Waits& all = recording->merge.waits();
    for (const Strand* strand : recording->strands)
        all.times().ended(strand->thread().serial, end_of(*strand));
    all.times().settle();
    return all;
}

u32 line_bytes() { return recording->options.line_bytes; }
u32 only_user(Address a) {
    const LineState state = lines().look(a);
    return state.is_owned() ? state.owner() : 0;
}

Clocks& clocks() { return recording->clocks; }
const RecorderCounts& recorder_counts() { return recording->counts; }

// Strands and their chunks

void Strand::add_chunk(Chunk* chunk) {
    ++chunks_;
    for (const u64*& at : reads_) at = chunk->begin;
    for (const u64*& at : polls_) at = chunk->begin;
    if (newest_ != nullptr) {
        newest_->next = chunk;
    } else {
        oldest_ = chunk;
        at_ = passed_ = chunk->begin;
    }
    newest_ = chunk;
}

void Strand::give_back_chunks(Chunk* until) {
    while (oldest_ != until) {
        Chunk* next = oldest_->next;
        log::give_back(oldest_);
        oldest_ = next;
        --chunks_;
    }
}

void Strand::forget_unmerged() {
    u32 chunks = chunks_;
    for_each_unmerged(chunks, [this](const Record& record, const Shape& shape) {
        for_each_touch(record, shape, [this](const Touch& touch) {
            LineState& state = lines()[touch.line];
            if (!state.is_owned_by(thread_.serial) || state.is_calm()) return;
            state.set(LineState::kMerged);
            state.clear(LineState::kCopyModelled | LineState::kNewModelled);
        });
    });
    give_back_chunks(newest_);
    at_ = passed_ = newest_->end;
    recording->progress.set(thread_.slot, ended_at_);
    in_record_ = passing_ = false;
    steps_.resize(0);
    next_step_ = waits_ahead_ = 0;
}

Time Strand::second_chunk_begins() const {
    CHECK(chunks_ > 1);
    const Chunk& second = *oldest_->next;
    if (second.end == second.begin) return recording->clocks.now(thread_);
    return reinterpret_cast<const Record*>(second.begin)->time;
}

Strand* strand_of(u32 serial) {
    for (Strand* strand : recording->strands)
        if (strand->thread().serial == serial) return strand;
    return nullptr;
}

Strand* make_strand(Thread thread) {
    // It may go on with what threads that have ended leave, or one that was alone, which costs little once
    // that is merged.
    const rt::Vector<Strand*>& strands = recording->strands;
    const auto is_gone = [](const Strand* strand) { return strand->is_gone(); };
    const auto is_left = [](const Strand* strand) { return strand->is_gone() && !strand->is_merged(); };
    if (std::count_if(strands.begin(), strands.end(), is_gone) + 1 == static_cast<long>(strands.size()) ||
        std::any_of(strands.begin(), strands.end(), is_left))
        merge();
    recording->observed.begin(thread.slot);
    auto* strand = new (rt::allocate(sizeof(Strand), "memspy.strand"))
        Strand(thread, recording->clocks.now(thread), recording->clocks.last_cause(thread));
    know_reader(thread);
    recording->progress.set(thread.slot, strand->ended_at());
    strand->add_chunk(chunk_for_more());  // perhaps by a merge, which must not meet a strand without one
    recording->strands.push_back(strand);
    recording->merge.add(strand);
    recording->merge.waits().times().began(thread.serial, strand->ended_at());
    return strand;
}

bool renew_chunk(Strand& strand) {
    if (log::chunks_taken() >= merge_at) merge();
    strand.add_chunk(chunk_for_more());
    // A fair share of half the log; the other half is for threads that are behind.
    const auto living = static_cast<u32>(recording->strands.size());
    return strand.chunks() * living * 2 > log::chunk_limit();
}

// Merging

void merge_before(Time horizon) {
    merge_until(horizon);
    const u32 left = log::chunks_taken();
    merge_at = left + (left < kMostMore ? left : kMostMore);
    if (merge_at < kLeastChunks) merge_at = kLeastChunks;
    if (merge_at > log::chunk_limit()) merge_at = log::chunk_limit();
    constexpr u32 kMergesToEmpty = 64;  // merges
    static u32 merges = 0;
    if (++merges % kMergesToEmpty == 0) log::empty_idle_chunks();
}

void merge() { merge_before(recording->clocks.horizon()); }

void merge_early() {
    if (recording->stored < recording->merged_early || recording->entered < recording->merged_early) return;
    Time horizon = recording->clocks.horizon();
    // A thread that sleeps for a token continues at the horizon that was given out (Clocks). One that has
    // just gone to sleep may come back at once: it must not find the horizon past it.
    for (const Strand* strand : recording->strands) {
        const Time now = strand->is_gone() ? kNever : recording->clocks.now(strand->thread());
        if (now >= recording->merged_early && now < horizon &&
            recording->clocks.may_return_for_token(strand->thread()))
            horizon = now;
    }
    if (horizon == kNever ||
        (horizon < recording->merged_early + rules::kShortestAge && horizon <= recording->stored))
        return;
    recording->merged_early = horizon;
    merge_before(horizon);
}

void enters_kernel(Strand& strand) {
    strand.end_passing();
    const Time now = recording->clocks.now(strand.thread());
    if (now > recording->entered) recording->entered = now;
}

void merge_all() {
    merge_until(kNever, true);
    // Threads that continue after this cannot be before it.
    recording->clocks.force_horizon(recording->merged_until);
    count_calm_lines();
}

void forget_others(Strand* mine) {
    for (Strand* strand : recording->strands) {
        if (strand == mine) continue;
        recording->options.merged(strand->thread());
        drop(strand);
    }
    recording->strands.resize(0);
    recording->strands.push_back(mine);
    mine->forget_unmerged();
    forget_quiet_threads(mine->thread());
    forget_missing();
    recording->merge.what_if().forget();
    recording->merge.waits().clear();
    recording->own_locks.clear();
    recording->observed.clear();
    recording->semaphores.forget(0, ~usize{0}, 0);
    recording->ended = recording->named_waits = 0;
    recording->counts = RecorderCounts{};
}

}  // namespace memspy::order
