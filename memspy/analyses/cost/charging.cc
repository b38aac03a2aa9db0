// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/charging.h"

#include "analyses/cost/owners.h"
#include "analyses/cost/record_block.h"
#include "analyses/cost/rows.h"
#include "analyses/cost/thread_uses.h"
#include "rt/global.h"

namespace memspy::cost {
namespace {

using threads::CallPath;
using threads::Thread;

Hierarchy* hierarchy = nullptr;
constexpr u32 kNoObject = ~u32{0};

// Shapes

rt::Global<rt::Vector<const ShapeSteps*>> block_shapes;  // by the shape's index
rt::Global<rt::Vector<bool>> known_shapes;

const ShapeSteps* block_shape_of(u32 number) {
    const u32 index = number >> log::kLengthBits;
    if (block_shapes->size() <= index) {
        block_shapes->resize(log::shape_count());
        known_shapes->resize(log::shape_count());
    }
    if (!(*known_shapes)[index]) {
        (*known_shapes)[index] = true;
        (*block_shapes)[index] = ShapeSteps::make(log::shape(number));
    }
    return (*block_shapes)[index];
}

// Blocks

// One for each hash of shape and calls. A block is made when its record comes for the second time in a row.
struct BlockCell {
    u32 shape_number;
    CallPath path;
    RecordBlock* block;
};
constexpr u32 kCells = 1 << 16;
BlockCell cells[kCells];

// Memory of blocks: when it is full, all are given up.
constexpr usize kRoom = 32 << 20;
char* room = nullptr;
usize room_taken = 0;

void settle(RecordBlock& block) {
    const log::Shape& shape = *block.shape;
    const rt::Vector<StepPart>& parts = block.block_shape->parts();
    const u64 cycles = hierarchy->latency(0);
    u64 records = 0;
    usize use = shape.uses.size();
    // From the last use on: a use was executed by the records of all parts that have it.
    for (usize part = 0; part < parts.size(); ++part) {
        records += block.counts[part];
        block.counts[part] = 0;
        const usize next = part + 1 < parts.size() ? parts[part + 1].uses : 0;
        for (; use > next; --use) {
            if (records == 0) continue;
            const log::AccessUse& each = shape.uses[use - 1];
            CostFigures& figures = rows()[block.rows[use - 1]].figures;
            figures.loads += records * each.loads;
            figures.stores += records * each.stores;
            figures.cycles += records * cycles;
        }
    }
}

void give_up_blocks() {
    for (BlockCell& cell : cells) {
        if (cell.block != nullptr) settle(*cell.block);
        cell = BlockCell{};
    }
    room_taken = 0;
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
    constexpr usize kMost = sizeof(RecordBlock) +
                            (ShapeSteps::kMostUses + 1) * (sizeof(BlockStep) + 2 * sizeof(u64) + sizeof(u32));
    static_assert(kMost < kRoom);
    if (room == nullptr) room = static_cast<char*>(rt::map_zeroed(kRoom, "memspy.cost.blocks"));
    if (room_taken + kMost > kRoom) give_up_blocks();
    auto* const block = take_room<RecordBlock>(1);
    *block = {owner_age, of,      &shape,  path,   static_cast<u32>(of->steps().size()),
              nullptr,   nullptr, nullptr, nullptr};
    block->steps = take_room<BlockStep>(of->steps().size());
    block->parts = take_room<StepPart>(of->parts().size());
    block->counts = take_room<u64>(of->parts().size());
    block->rows = take_room<u32>(shape.uses.size());
    for (usize i = 0; i < of->steps().size(); ++i) {
        const StepShape& step = of->steps()[i];
        block->steps[i] = {step.low, 0, 0, 0, step.place, step.reach, step.stores};
    }
    for (usize i = 0; i < of->parts().size(); ++i) {
        block->parts[i] = of->parts()[i];
        block->counts[i] = 0;
    }
    for (usize i = 0; i < shape.uses.size(); ++i) block->rows[i] = RecordBlock::kNoRow;
    return block;
}

RecordBlock* block_of(const log::Record& record) {
    const u64 hash = (u64{record.shape} << 32 | static_cast<u32>(record.path)) * 0x9e3779b97f4a7c15u >> 32;
    BlockCell& cell = cells[hash % kCells];
    if (cell.shape_number == record.shape && cell.path == record.path) [[likely]] {
        if (cell.block == nullptr) [[unlikely]] {
            RecordBlock* const block = make_block(record.shape, record.path);
            cell = {record.shape, record.path, block};
        }
        return cell.block;
    }
    if (cell.block != nullptr) settle(*cell.block);
    cell = {record.shape, record.path, nullptr};
    return nullptr;
}

[[gnu::noinline]] void forget_extents(RecordBlock& block) {
    for (usize i = 0; i < block.steps_count; ++i) block.steps[i].size = 0;
    block.age = owner_age;
}

// Who touched an object first: the first access of all, unless another one touched a page of it first.
void note_first_touch(Thread t, const places::Place& place, u32 object, bool made, bool touched_page) {
    ObjectCost& whose = objects()[object];
    if (!(made && whose.first_thread == 0) && !(touched_page && !whose.touched_page)) return;
    whose.first_touch = place;
    whose.first_thread = t.serial;
    whose.touched_page = touched_page;
}

Outcome charge_one(Thread t, const QuickView& view, const log::AccessUse& use, CallPath path, Address a,
                   u32 object) {
    bool made = false;
    const places::Place place{use.instruction, path};
    const u32 row = row_of(place, object, made);
    CostFigures& figures = rows()[row].figures;
    figures.loads += use.loads;
    figures.stores += use.stores;
    const u32 entry = use.bytes == 0 ? Tlb::kNone : view.entry_of(a, use.bytes - 1u, use.stores);
    Outcome outcome;
    if (entry != Tlb::kNone) {
        view.tlb->used(entry);
        outcome.cycles = hierarchy->latency(0);
    } else {
        outcome = hierarchy->access(t.serial - 1, a, use.bytes, use.stores);
    }
    charge(figures, outcome);
    if (made || outcome.first_touch) note_first_touch(t, place, object, made, outcome.first_touch);
    return outcome;
}

struct UseRange {
    usize first, end;
};
UseRange uses_of(const RecordBlock& block, usize step) {
    const rt::Vector<StepShape>& steps = block.block_shape->steps();
    return {steps[step].use, step + 1 < steps.size() ? steps[step + 1].use : block.shape->uses.size()};
}
Address address_of(const log::AccessUse& use, const BlockStep& step, const u64* at) {
    return static_cast<Address>(use.offset) + (step.place == 0 ? 0 : at[step.place]);
}

// The step at `a` is outside the extent that the block knows: finds the extent there, and if it is another object's,
// the rows of the step's uses. What the block has counted belongs to those of before.
[[gnu::noinline]] void bind(Thread t, const u64* at, RecordBlock& block, usize number, Address a) {
    BlockStep& step = block.steps[number];
    const OwnedExtent owner = owner_of(a);
    const bool inside = a + step.reach < owner.end;
    const UseRange uses = uses_of(block, number);
    step.begin = owner.begin;
    step.size = inside ? owner.end - owner.begin - step.reach : 0;
    if (inside && owner.object == step.object && block.rows[uses.first] != RecordBlock::kNoRow) return;
    settle(block);
    step.object = owner.object;
    for (usize i = uses.first; i < uses.end; ++i) {
        const log::AccessUse& use = block.shape->uses[i];
        const u32 object = inside ? owner.object : owner_of(address_of(use, step, at)).object;
        const places::Place place{use.instruction, block.path};
        bool made = false;
        block.rows[i] = row_of(place, object, made);
        if (made) note_first_touch(t, place, object, true, false);
    }
    // Rows of several objects are not those of the next record.
    if (!inside) step.object = kNoObject;
}

// A step that is not to the line of its set used last: charges what its uses cost beyond a hit each. Not inline, like
// all that is seldom called, so that the loop below keeps its values in registers.
[[gnu::noinline]] void charge_uses(Thread t, const u64* at, const RecordBlock& block, usize number, Address a,
                                   const QuickView& view) {
    const BlockStep& step = block.steps[number];
    if (view.hits(a, step.reach, step.stores)) return;
    const UseRange uses = uses_of(block, number);
    for (usize i = uses.first; i < uses.end; ++i) {
        const log::AccessUse& use = block.shape->uses[i];
        const Outcome outcome =
            hierarchy->access(t.serial - 1, address_of(use, block.steps[number], at), use.bytes, use.stores);
        CostRow& row = rows()[block.rows[i]];
        charge(row.figures, outcome);
        row.figures.cycles -= hierarchy->latency(0);
        if (outcome.first_touch) note_first_touch(t, row.place, row.object_number, false, true);
    }
}

// Counts the record as one whose accesses all hit, and charges what they cost beyond that.
inline void charge_record(Thread t, const u64* at, RecordBlock& block, const QuickView& view) {
    if (block.age != owner_age) [[unlikely]]
        forget_extents(block);
    const u32 number = block.executed(at);
    const u32 steps = block.parts[number].steps;
    const BlockStep* step = block.steps;
    for (u32 i = 0; i < steps; ++i, ++step) {
        const Address a = step->address(at);
        if (!step->contains(a)) [[unlikely]]
            bind(t, at, block, i, a);
        const u32 entry = view.entry_of(a, step->reach, step->stores);
        if (entry != Tlb::kNone) [[likely]]
            view.tlb->used(entry);
        else
            charge_uses(t, at, block, i, a, view);
    }
    ++block.counts[number];
}

}  // namespace

void start_charging(Hierarchy& simulated) { hierarchy = &simulated; }

AccessCharger::AccessCharger(Thread t) : thread_(t), view_(hierarchy->quick_view(t.serial - 1)) {}

void AccessCharger::charge(const log::AccessUse& use, CallPath path, Address a, u32 object) {
    note_use(thread_, use, a, object, charge_one(thread_, view_, use, path, a, object), *hierarchy);
}

void charge_records(Thread t, const u64* first, const u64* end) {
    const QuickView view = hierarchy->quick_view(t.serial - 1);
    for (const u64* at = first; at != end; at += log::record_words(static_cast<u32>(*at))) {
        const auto& record = *reinterpret_cast<const log::Record*>(at);
        if (RecordBlock* const block = block_of(record)) [[likely]] {
            charge_record(t, at, *block, view);
            continue;
        }
        log::for_each_access(record, log::shape(record.shape), [&](const log::AccessUse& use, Address a) {
            charge_one(t, view, use, record.path, a, owner_of(a).object);
        });
    }
}

void settle_charges() {
    for (const BlockCell& cell : cells)
        if (cell.block != nullptr) settle(*cell.block);
}

void forget_charges() {
    for (BlockCell& cell : cells) cell = BlockCell{};
    room_taken = 0;
    forget_rows();
    forget_owners();
    forget_uses();
}

}  // namespace memspy::cost
