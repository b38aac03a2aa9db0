// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/block_cache.h"

#include <algorithm>
#include <span>

#include "analyses/cost/owners.h"
#include "analyses/cost/record_loop.h"
#include "analyses/cost/rows.h"

namespace memspy::cost {

using threads::CallPath;

Hierarchy* hierarchy = nullptr;
rt::Global<rt::Vector<LatestBlock>> latest_blocks;

namespace {

// Shapes

rt::Global<rt::Vector<const ShapeSteps*>> block_shapes;  // by the shape's index
rt::Global<rt::Vector<bool>> known_shapes;

const ShapeSteps* block_shape_of(u32 number) {
    const u32 index = number >> log::kLengthBits;
    if (block_shapes->size() <= index) {
        block_shapes->resize(2 * usize{log::shape_count()});
        known_shapes->resize(block_shapes->size());
    }
    if (!(*known_shapes)[index]) {
        (*known_shapes)[index] = true;
        (*block_shapes)[index] = ShapeSteps::make(log::shape(number));
    }
    return (*block_shapes)[index];
}

// Two for each hash of shape and calls, the one used last first. A block is made when its record comes again
// before another one took its place. When there were too many rows, that takes kOften records; before, they
// are charged to a block of their shape below all calls. Else most rows would be of calls that hardly ever
// come again, and be folded soon.
struct BlockCell {
    u32 shape_number;
    CallPath path;
    RecordBlock* block;
    u32 seen;  // records without a block

    bool is_of(u32 number, CallPath calls) const { return shape_number == number && path == calls; }
};
constexpr u32 kOften = 64;
constexpr u32 kCellPairs = 1 << 15;
BlockCell cells[kCellPairs][2];
// Blocks below all calls, by the shape's index.
rt::Global<rt::Vector<RecordBlock*>> shared_blocks;

// Memory of blocks: when it is full, all are given up.
constexpr usize kRoom = 32 << 20;
char* room = nullptr;
usize room_taken = 0;

void give_up_blocks() {
    settle_blocks();
    forget_blocks();
}

template <typename T>
T* take_room(usize count) {
    T* const taken = reinterpret_cast<T*>(room + room_taken);
    room_taken += (count * sizeof(T) + 7) / 8 * 8;
    return taken;
}

// Steps without an extent and uses without a row: the block's first record finds them.
RecordBlock* make_block(u32 shape_number, CallPath path) {
    const ShapeSteps* const of = block_shape_of(shape_number);
    if (of == nullptr) return nullptr;
    const log::Shape& shape = log::shape(shape_number);
    constexpr usize kMost =
        sizeof(RecordBlock) +
        (ShapeSteps::kMostUses + 1) * (sizeof(QuickStep) + sizeof(BlockStep) + 2 * sizeof(u64) + sizeof(u32));
    static_assert(kMost < kRoom);
    if (room == nullptr) room = static_cast<char*>(rt::map_zeroed(kRoom, "memspy.cost.blocks"));
    if (room_taken + kMost > kRoom) give_up_blocks();
    auto* const block = take_room<RecordBlock>(1);
    take_room<QuickStep>(of->steps().size());
    take_room<BlockStep>(of->steps().size());
    *block = {owner_age, of->parts()[0], path,
              nullptr,   nullptr,        nullptr,
              of,        &shape,         static_cast<u32>(of->steps().size())};
    block->parts = take_room<StepPart>(of->parts().size());
    block->counts = take_room<u64>(of->parts().size());
    block->rows = take_room<u32>(shape.uses.size());
    for (usize i = 0; i < of->steps().size(); ++i) {
        const StepShape& step = of->steps()[i];
        block->quick_steps()[i] = {.low = step.low,
                                   .owned = kUnbound,
                                   .place = step.place,
                                   .reach = step.reach,
                                   .any_mark = step.stores ? u8{0} : u8{1},
                                   .use = step.use};
        block->steps()[i] = {0, 0, kNoObject, 0, nullptr, 0};
    }
    for (usize i = 0; i < of->parts().size(); ++i) {
        block->parts[i] = of->parts()[i];
        block->counts[i] = 0;
    }
    for (usize i = 0; i < shape.uses.size(); ++i) block->rows[i] = kNoRow;
    return block;
}

RecordBlock* shared_block(u32 shape_number) {
    const u32 index = shape_number >> log::kLengthBits;
    if (shared_blocks->size() <= index) shared_blocks->resize(2 * usize{log::shape_count()});
    if ((*shared_blocks)[index] == nullptr) {
        RecordBlock* const made = make_block(shape_number, CallPath::Root);
        (*shared_blocks)[index] = made;
    }
    return (*shared_blocks)[index];
}

// False if one of the block's rows is no longer a row of its own.
bool renumber_rows(RecordBlock& block, const rt::Vector<u32>& numbers) {
    bool whole = true;
    const auto renumber = [&](u32* begin, const u32* end) {
        for (u32* row = begin; row != end; ++row) {
            if (*row == kNoRow) continue;
            *row = numbers[*row];
            whole = whole && *row != kNoRow;
        }
    };
    for (usize i = 0; i < block.steps_count; ++i) {
        const UseRange uses = uses_of(block, i);
        renumber(block.rows + uses.first, block.rows + uses.end);
        for (OtherObject* other = block.steps()[i].others; other != nullptr; other = other->next)
            renumber(other->rows(), other->rows() + (uses.end - uses.first));
    }
    return whole;
}

}  // namespace

void settle(RecordBlock& block) {
    const std::span<const StepPart> parts = block.block_shape->parts();
    const u64 cycles = hierarchy->latency(0);
    u64 records = 0;
    usize step = block.block_shape->steps().size();
    // From the last step on: a step was executed by the records of all parts that have it.
    for (usize part = 0; part < parts.size(); ++part) {
        records += block.counts[part];
        block.counts[part] = 0;
        const usize next = part + 1 < parts.size() ? parts[part + 1].steps : 0;
        for (; step > next; --step) {
            BlockStep& each = block.steps()[step - 1];
            // A record that is being charged is not counted yet, but its steps to other objects are.
            const u64 elsewhere = each.elsewhere < records ? each.elsewhere : records;
            each.elsewhere -= static_cast<u32>(elsewhere);
            const UseRange uses = uses_of(block, step - 1);
            const auto add_hits = [&](u64 hits, const u32* numbers) {
                for (usize i = uses.first; i < uses.end && hits != 0; ++i) {
                    const log::AccessUse& use = block.shape->uses[i];
                    CostFigures& figures = rows()[numbers[i - uses.first]].figures;
                    figures.loads += hits * use.loads;
                    figures.stores += hits * use.stores;
                    figures.cycles += hits * cycles;
                }
            };
            add_hits(records - elsewhere, block.rows + uses.first);
            for (OtherObject* other = each.others; other != nullptr; other = other->next) {
                add_hits(other->count, other->rows());
                other->count = 0;
            }
        }
    }
}

void forget_blocks() {
    for (auto& pair : cells)
        for (BlockCell& cell : pair) cell = BlockCell{};
    for (LatestBlock& each : *latest_blocks) each = LatestBlock{};
    for (RecordBlock*& each : *shared_blocks) each = nullptr;
    room_taken = 0;
}

RecordBlock* find_block(u32 shape_number, CallPath path) {
    const u64 hash = (u64{shape_number} << 32 | static_cast<u32>(path)) * 0x9e3779b97f4a7c15u >> 32;
    BlockCell* const pair = cells[hash % kCellPairs];
    const u32 index = shape_number >> log::kLengthBits;
    if (latest_blocks->size() <= index) latest_blocks->resize(2 * usize{log::shape_count()});
    if (pair[1].is_of(shape_number, path)) std::swap(pair[0], pair[1]);
    if (pair[0].is_of(shape_number, path)) {
        if (pair[0].block == nullptr) {
            if (are_rows_folded() && ++pair[0].seen < kOften) return shared_block(shape_number);
            RecordBlock* const block = make_block(shape_number, path);
            pair[0] = {shape_number, path, block, 0};
        }
        if (pair[0].block != nullptr) (*latest_blocks)[index] = {path, pair[0].block};
        return pair[0].block;
    }
    // A record that came once goes before one that has a block.
    const u32 gone = pair[0].block == nullptr ? 0 : 1;
    if (RecordBlock* const block = pair[gone].block) {
        settle(*block);
        LatestBlock& latest = (*latest_blocks)[pair[gone].shape_number >> log::kLengthBits];
        if (latest.block == block) latest = LatestBlock{};
    }
    pair[gone] = {shape_number, path, nullptr, 1};
    return are_rows_folded() ? shared_block(shape_number) : nullptr;
}

void settle_blocks() {
    for (const auto& pair : cells)
        for (const BlockCell& cell : pair)
            if (cell.block != nullptr) settle(*cell.block);
    for (RecordBlock* each : *shared_blocks)
        if (each != nullptr) settle(*each);
}

OtherObject* add_other(BlockStep& step, const UseRange& uses, u32 object) {
    u32 have = 0;
    for (const OtherObject* each = step.others; each != nullptr; each = each->next) ++have;
    const usize bytes = sizeof(OtherObject) + (uses.end - uses.first + 1) * sizeof(u32);
    constexpr u32 kMostOthers = 8;
    if (have == kMostOthers || room_taken + bytes > kRoom) return nullptr;
    auto* const other = reinterpret_cast<OtherObject*>(take_room<char>(bytes));
    *other = {step.others, object, 0};
    return step.others = other;
}

void renumber_blocks(const rt::Vector<u32>& numbers) {
    for (LatestBlock& each : *latest_blocks) each = LatestBlock{};
    for (auto& pair : cells)
        for (BlockCell& cell : pair)
            if (cell.block != nullptr && !renumber_rows(*cell.block, numbers)) cell = BlockCell{};
    for (RecordBlock*& each : *shared_blocks)
        if (each != nullptr && !renumber_rows(*each, numbers)) each = nullptr;
}

void forget_extents(RecordBlock& block) {
    for (usize i = 0; i < block.steps_count; ++i) {
        block.steps()[i].size = 0;
        QuickStep& quick = block.quick_steps()[i];
        if (quick.tag() == kSeveralTag && !quick.on_stack) quick.owned = kUnbound;
    }
    block.age = owner_age;
}

}  // namespace memspy::cost
