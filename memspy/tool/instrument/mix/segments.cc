// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/mix/segments.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/paged_array.h"

namespace memspy::instrument {
namespace {

rt::Global<rt::Vector<InstructionCounts>> operations;
rt::Global<rt::HashMap<u32>> operation_numbers;  // by hash: number + 1
rt::Global<rt::PagedArray<SegmentStep, 1 << 16>> steps;
rt::Global<rt::PagedArray<CodeSegment, 1 << 14>> segments;
rt::Global<rt::HashMap<u32>> segment_by_hash;     // index + 1
rt::Global<rt::HashMap<u32>> segment_by_counter;  // index
rt::Global<rt::Vector<BranchSite>> branches;
rt::Global<rt::HashMap<u32>> branch_by_address;  // index + 1
u32 counters = 0;
bool complete = true;

u64 mixed(u64 hash, u64 value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

u32 new_counters(u32 count) {
    const u32 left = kCountersOfPiece - counters % kCountersOfPiece;
    const u32 first = left < count ? counters + left : counters;
    if (first + count > kCountersOfPiece * kMostCounterPieces) {
        complete = false;
        return kNoCounter;
    }
    counters = first + count;
    return first;
}

bool is_equal(const CodeSegment& segment, const SegmentStep* other, u32 count) {
    if (segment.count != count) return false;
    for (u32 i = 0; i < count; ++i) {
        const SegmentStep& step = (*steps)[segment.first + i];
        if (step.address != other[i].address || step.operation != other[i].operation) return false;
    }
    return true;
}

}  // namespace

u32 number_of_operation(const InstructionCounts& operation) {
    u64 hash = 0;
    for (u16 count : operation.counts) hash = mixed(hash, count);
    // Another operation of the same hash is one further.
    for (;; ++hash) {
        u32& number = (*operation_numbers)[hash];
        if (number == 0) {
            operations->push_back(operation);
            number = static_cast<u32>(operations->size());
        }
        if ((*operations)[number - 1] == operation) return number - 1;
    }
}

const InstructionCounts& operation_numbered(u32 number) { return (*operations)[number]; }

u32 counter_of_segment(const SegmentStep* first, u32 count) {
    if (count == 0) return kNoCounter;
    u64 hash = count;
    for (u32 i = 0; i < count; ++i) hash = mixed(mixed(hash, first[i].address), first[i].operation);
    u32& head = (*segment_by_hash)[hash];
    for (u32 i = head; i != 0; i = (*segments)[i - 1].next)
        if (is_equal((*segments)[i - 1], first, count)) return (*segments)[i - 1].counter;
    const u32 counter = new_counters(1);
    if (counter == kNoCounter) return counter;
    CodeSegment made{.first = steps->size(),
                     .count = count,
                     .counter = counter,
                     .epoch = VG_(current_DiEpoch)().n,
                     .next = head};
    for (u32 i = 0; i < count; ++i) steps->push_back(first[i]);
    const u32 index = segments->push_back(made);
    head = index + 1;
    (*segment_by_counter)[counter] = index;
    return counter;
}

u32 counter_before(u32 counter, Address address) {
    const u32* const index = segment_by_counter->find(counter);
    if (index == nullptr) return kNoCounter;
    const CodeSegment& segment = (*segments)[*index];
    rt::Vector<SegmentStep> before;
    for (u32 i = 0; i < segment.count; ++i) {
        const SegmentStep step = (*steps)[segment.first + i];
        if (step.address == address) break;
        before.push_back(step);
    }
    return counter_of_segment(before.data(), static_cast<u32>(before.size()));
}

u32 counter_of_branch(Address address) {
    u32& index = (*branch_by_address)[address];
    if (index != 0) return (*branches)[index - 1].counter;
    const u32 counter = new_counters(4);
    if (counter == kNoCounter) {
        branch_by_address->erase(address);
        return counter;
    }
    branches->push_back(
        BranchSite{.address = address, .counter = counter, .epoch = VG_(current_DiEpoch)().n});
    index = static_cast<u32>(branches->size());
    return counter;
}

u32 segment_count() { return segments->size(); }
const CodeSegment& segment_at(u32 index) { return (*segments)[index]; }
const SegmentStep& step_at(u32 index) { return (*steps)[index]; }
u32 branch_count() { return static_cast<u32>(branches->size()); }
const BranchSite& branch_at(u32 index) { return (*branches)[index]; }
u32 counter_pieces() { return (counters + kCountersOfPiece - 1) / kCountersOfPiece; }
bool counters_complete() { return complete; }

}  // namespace memspy::instrument
