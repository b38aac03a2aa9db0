// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/record_block.h"

#include <algorithm>
#include <new>

#include "rt/room.h"

namespace memspy::cost {
namespace {

using log::AccessUse;
using log::Shape;

usize segment_of(const Shape& shape, u8 proof) {
    usize segment = 0;
    while (segment < shape.segments.size() && shape.segments[segment].marker != proof) ++segment;
    return segment;
}

u16 place_of(u8 word) { return word == log::kNoWord ? u16{0} : static_cast<u16>(word + log::kRecordHead); }

bool can_have_blocks(const Shape& shape) {
    if (!shape.always || shape.uses.empty() || shape.uses.size() > ShapeSteps::kMostUses) return false;
    usize before = 0;
    for (const AccessUse& use : shape.uses) {
        const usize segment = segment_of(shape, use.proof);
        if (segment < before || segment == shape.segments.size() || use.bytes > ShapeSteps::kLongest ||
            use.bytes == 0)
            return false;
        before = segment;
    }
    return true;
}

// Bits [first, first + count).
u64 bits(u32 first, u32 count) { return (count >= 64 ? ~u64{0} : (u64{1} << count) - 1) << first; }

// Adds a use to the step's bits, when `low` and `reach` are final.
void add_bits(StepShape& step, const AccessUse& use) {
    const u32 first = static_cast<u32>(use.offset - step.low);
    if (use.stores) step.stored |= bits(first, use.bytes);
    if (use.bytes > 1) step.inside |= bits(first + 1, use.bytes - 1u);
}

rt::Room room;

}  // namespace

const ShapeSteps* ShapeSteps::make(const Shape& shape) {
    if (!can_have_blocks(shape)) return nullptr;
    rt::Vector<StepShape> steps;
    rt::Vector<StepPart> parts;
    for (usize i = 0; i < shape.uses.size(); ++i) {
        const AccessUse& use = shape.uses[i];
        // Variables beside each other are different objects, so each is a step.
        if (i > 0 && use.word != log::kNoWord && use.word == shape.uses[i - 1].word &&
            use.proof == shape.uses[i - 1].proof) {
            StepShape& open = steps.back();
            const i64 low = std::min(open.low, use.offset);
            const i64 high = std::max(open.low + open.reach + 1, use.offset + use.bytes);
            if (high - low <= static_cast<i64>(kLongest)) {
                open.low = low;
                open.reach = static_cast<u8>(high - low - 1);
                open.stores |= use.stores;
                continue;
            }
        }
        steps.push_back({use.offset, place_of(use.word), static_cast<u8>(use.bytes - 1), static_cast<u8>(i),
                         use.stores, 0, 0});
    }
    for (usize i = 0, step = 0; i < shape.uses.size(); ++i) {
        if (step + 1 < steps.size() && steps[step + 1].use == i) ++step;
        add_bits(steps[step], shape.uses[i]);
    }
    for (usize segment = shape.segments.size(); segment-- > 0;) {
        u32 uses = 0, begun = 0;
        for (const AccessUse& use : shape.uses) uses += segment_of(shape, use.proof) <= segment;
        for (const StepShape& step : steps) begun += step.use < uses;
        parts.push_back(
            {place_of(shape.segments[segment].marker), static_cast<u8>(begun), static_cast<u8>(uses)});
    }
    auto* const made = new (room.take(
        sizeof(ShapeSteps) + steps.size() * sizeof(StepShape) + parts.size() * sizeof(StepPart),
        "memspy.cost.shapes")) ShapeSteps(static_cast<u32>(steps.size()), static_cast<u32>(parts.size()));
    std::copy(steps.begin(), steps.end(), const_cast<StepShape*>(made->steps().data()));
    std::copy(parts.begin(), parts.end(), const_cast<StepPart*>(made->parts().data()));
    return made;
}

}  // namespace memspy::cost
