// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mix/counters.h"

#include "analyses/mix/functions.h"
#include "instrument/mix/operation_counts.h"
#include "rt/global.h"

namespace memspy::mix {

using namespace instrument;
using threads::Thread;

namespace {

struct MixCounters {
    u32 serial;
    u32 piece_count;
    u64* pieces[kMostCounterPieces];
    Predictor* predictor;
};
rt::Global<rt::Vector<MixCounters*>> living, spare;
// What generated code counts in. When its thread has ended it may still run: at the end the core calls the C
// library's cleanup in the last one.
MixCounters* running = nullptr;
constexpr u32 kNobody = 0;  // a serial
rt::Global<MixRows> ended;

void give_pieces(MixCounters& memory) {
    while (memory.piece_count < counter_pieces())
        memory.pieces[memory.piece_count++] =
            static_cast<u64*>(rt::map_zeroed(kCountersOfPiece * sizeof(u64), "memspy.mix_counters"));
}

void run_with(MixCounters& memory) {
    give_pieces(memory);
    for (u32 i = 0; i < memory.piece_count; ++i) running_counters[i] = memory.pieces[i];
    running_predictor = memory.predictor;
}

void new_piece() {
    if (running != nullptr) run_with(*running);
}

MixCounters& memory_of(Thread t) {
    for (MixCounters* memory : *living)
        if (memory->serial == t.serial) return *memory;
    MixCounters* memory = nullptr;
    if (!spare->empty()) {
        memory = spare->back();
        spare->pop_back();
    } else {
        memory = static_cast<MixCounters*>(rt::map_zeroed(sizeof(MixCounters), "memspy.mix_thread"));
        memory->predictor = static_cast<Predictor*>(rt::map_zeroed(sizeof(Predictor), "memspy.mix_thread"));
    }
    memory->serial = t.serial;
    living->push_back(memory);
    return *memory;
}

// Code of one function, as a rule: each instruction begins at most this far behind the one before.
constexpr Address kLongestInstruction = 15;

void add_segment(MixRows& rows, u32 thread, const CodeSegment& segment, u64 times) {
    Address before = 0;
    MixFigures* figures = nullptr;
    for (u32 i = 0; i < segment.count; ++i) {
        const SegmentStep& step = step_at(segment.first + i);
        if (figures == nullptr || step.address - before > kLongestInstruction)
            figures = &rows.at(function_at(step.address, segment.epoch), thread);
        before = step.address;
        const InstructionCounts& operation = operation_numbered(step.operation);
        for (u32 k = 0; k < kOperationCounts; ++k) figures->counts[k] += operation.counts[k] * times;
    }
}

void add_to(MixRows& rows, const MixCounters& memory) {
    const auto value = [&](u32 counter) -> u64 {
        const u32 piece = counter / kCountersOfPiece;
        return piece < memory.piece_count ? memory.pieces[piece][counter % kCountersOfPiece] : 0;
    };
    for (u32 i = 0; i < segment_count(); ++i)
        if (const u64 times = value(segment_at(i).counter); times != 0)
            add_segment(rows, memory.serial, segment_at(i), times);
    for (u32 i = 0; i < branch_count(); ++i) {
        const BranchSite& branch = branch_at(i);
        u64 outcomes[4], all = 0;
        for (u32 k = 0; k < 4; ++k) all += outcomes[k] = value(branch.counter + k);
        if (all == 0) continue;
        MixFigures& figures = rows.at(function_at(branch.address, branch.epoch), memory.serial);
        figures.not_taken += outcomes[0] + outcomes[1];
        figures.taken += outcomes[2] + outcomes[3];
        figures.mispredicted += outcomes[1] + outcomes[3];
    }
}

void clean(MixCounters& memory) {
    // Most pages of a short thread are not real: they are only read.
    for (u32 i = 0; i < memory.piece_count; ++i)
        for (u32 k = 0; k < kCountersOfPiece; ++k)
            if (memory.pieces[i][k] != 0) memory.pieces[i][k] = 0;
    *memory.predictor = {};
    memory.serial = kNobody;
    spare->push_back(&memory);
}

}  // namespace

MixFigures& MixRows::at(u32 function, u32 thread) {
    u32& index = index_[u64{thread} << 32 | function];
    if (index == 0) {
        entries_.push_back(RowEntry{.function = function, .thread = thread, .figures = {}});
        index = static_cast<u32>(entries_.size());
    }
    return entries_[index - 1].figures;
}

void MixRows::clear() {
    index_.clear();
    entries_.clear();
}

void start_counters() { set_new_piece_handler(new_piece); }

void thread_runs(Thread t) {
    if (running != nullptr && running->serial == t.serial) return;
    running = &memory_of(t);
    run_with(*running);
}

void thread_gone(Thread t) {
    for (usize i = 0; i < living->size(); ++i) {
        MixCounters* const memory = (*living)[i];
        if (memory->serial != t.serial) continue;
        (*living)[i] = living->back();
        living->pop_back();
        add_to(*ended, *memory);
        clean(*memory);
        return;
    }
}

void forget_counters() {
    ended->clear();
    for (MixCounters* memory : *living) clean(*memory);
    living->clear();
}

void add_counts(MixRows& rows) {
    ended->for_each(
        [&](u32 function, u32 thread, const MixFigures& figures) { rows.at(function, thread).add(figures); });
    for (const MixCounters* memory : *living) add_to(rows, *memory);
}

}  // namespace memspy::mix
