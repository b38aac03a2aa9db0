// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/recorder.h"

#include <new>

#include "analyses/contention/line_life.h"

namespace memspy::contention {

rt::Global<RecorderState> recording;

namespace {

// A merge pays only if it has enough to do: at least this many chunks, and twice what the last merge left.
// But not many more, because loads cannot be skipped while stores wait to be merged.
constexpr u32 kLeastChunks = 8, kMostMore = 32;
u32 merge_at = kLeastChunks;

// This many of the program's first threads are each shown on their own, and so is each later thread that did
// some work.
constexpr u32 kTold = 64;
constexpr u64 kWork = 1'000'000;  // instructions

void drop(Strand* strand) {
    const Thread t = strand->thread();
    if (t.serial > kTold && thread_row(t).instructions < kWork) sum_up(t);
    recording->merge.remove(strand);
    strand->give_back_chunks();
    strand->~Strand();
    rt::release(strand);
}

// `forced`: passes also steps that the coherence latency of other events might still precede.
void merge_until(Time horizon, bool forced = false) {
    if (forced)
        recording->merge.force(horizon);
    else
        recording->merge.run(horizon);
    if (horizon == kNever) horizon = recording->latest;
    horizon = recording->merge.replayed_until(horizon);
    if (horizon > recording->merged_until) recording->merged_until = horizon;
    rt::Vector<Strand*>& strands = recording->strands;
    for (usize i = 0; i < strands.size();) {
        Strand* strand = strands[i];
        if (strand->is_gone() && strand->is_merged()) {
            recording->options.merged(strand->thread());
            drop(strand);
            strands[i] = strands.back();
            strands.pop_back();
        } else {
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
    recording->merge.set_latency(options.coherence_latency);
    log::limit_chunks(options.log_chunks);
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
        at_ = told_ = chunk->begin;
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
    at_ = told_ = newest_->end;
    in_record_ = telling_ = false;
    steps_.resize(0);
    next_step_ = 0;
}

Time Strand::second_chunk_begins() const {
    CHECK(chunks_ > 1);
    const Chunk& second = *oldest_->next;
    if (second.end == second.begin) return recording->clocks.now(thread_);
    return reinterpret_cast<const Record*>(second.begin)->time;
}

Strand* make_strand(Thread thread) {
    auto* strand = new (rt::allocate(sizeof(Strand), "memspy.strand"))
        Strand(thread, recording->clocks.now(thread), recording->clocks.last_cause(thread));
    know_reader(thread);
    recording->strands.push_back(strand);
    strand->add_chunk(chunk_for_more());
    recording->merge.add(strand);
    return strand;
}

u64* log_begin(const Strand& strand) { return strand.log_end(); }
void read(Strand& strand, u64* end) { strand.read(end); }
void thread_gone(Strand* strand) { strand->set_gone(); }

bool renew_chunk(Strand& strand) {
    if (log::chunks_taken() >= merge_at) merge();
    strand.add_chunk(chunk_for_more());
    // A fair share of half the log; the other half is for threads that are behind.
    const auto living = static_cast<u32>(recording->strands.size());
    return strand.chunks() * living * 2 > log::chunk_limit();
}

// Merging

void merge() {
    merge_until(recording->clocks.horizon());
    const u32 left = log::chunks_taken();
    merge_at = left + (left < kMostMore ? left : kMostMore);
    if (merge_at < kLeastChunks) merge_at = kLeastChunks;
    if (merge_at > log::chunk_limit()) merge_at = log::chunk_limit();
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
    recording->counts = RecorderCounts{};
}

}  // namespace memspy::contention
