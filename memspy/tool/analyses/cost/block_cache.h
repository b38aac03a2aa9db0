// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks by the shape and the calls of their records (record_block.h).
//
// A block is made when its record comes again before another one took its place.
#pragma once

#include "analyses/cost/hierarchy.h"
#include "analyses/cost/record_block.h"
#include "log/records.h"
#include "rt/global.h"
#include "rt/vector.h"

namespace memspy::cost {

extern Hierarchy* hierarchy;  // of the run
inline constexpr u32 kNoObject = ~u32{0};
// Of a line that no object is known to have for itself.
inline constexpr u32 kSeveralTag = SetCache::kMostTags - 2;
inline bool can_have_tag(u32 object) { return object + 1 < kSeveralTag; }
// As in QuickStep. No line has the tag of kUnbound.
inline constexpr u64 owned_word(u32 tag) { return SetCache::tag_word(tag) + SetCache::word_of(0) + 1; }
inline constexpr u64 kUnbound = SetCache::tag_word(SetCache::kMostTags - 1);

struct UseRange {
    usize first, end;
};
// The uses of a step of the block.
inline UseRange uses_of(const RecordBlock& block, usize step) {
    const std::span<const StepShape> steps = block.block_shape->steps();
    return {steps[step].use, step + 1 < steps.size() ? steps[step + 1].use : block.shape->uses.size()};
}

// The last one of each shape, by the shape's index.
struct LatestBlock {
    threads::CallPath path{};
    RecordBlock* block = nullptr;
};
extern rt::Global<rt::Vector<LatestBlock>> latest_blocks;
// Slowly; null if its record came once only.
RecordBlock* find_block(u32 shape_number, threads::CallPath path);
inline RecordBlock* block_of(const log::Record& record) {
    const u32 index = record.shape >> log::kLengthBits;
    if (index < latest_blocks->size()) [[likely]] {
        const LatestBlock& latest = (*latest_blocks)[index];
        if (latest.path == record.path && latest.block != nullptr) [[likely]]
            return latest.block;
    }
    return find_block(record.shape, record.path);
}

// Charges what a block has counted, and what all have.
void settle(RecordBlock& block);
void settle_blocks();
// All blocks are gone; what they have counted is lost unless it is settled.
void forget_blocks();
// Null if the step has enough, or there is no room. The caller sets its rows.
OtherObject* add_other(BlockStep& step, const UseRange& uses, u32 object);
// Rows have got other numbers; blocks of rows that are gone go, too.
void renumber_blocks(const rt::Vector<u32>& numbers);

}  // namespace memspy::cost
