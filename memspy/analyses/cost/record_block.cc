// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/record_block.h"

#include <algorithm>
#include <new>

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

}  // namespace

const ShapeSteps* ShapeSteps::make(const Shape& shape) {
    if (!can_have_blocks(shape)) return nullptr;
    auto* made = new (rt::allocate(sizeof(ShapeSteps), "memspy.cost.shape")) ShapeSteps;
    // A compiler has a hundred thousand shapes.
    made->steps_.reserve(shape.uses.size());
    made->parts_.reserve(shape.segments.size());
    for (usize i = 0; i < shape.uses.size(); ++i) {
        const AccessUse& use = shape.uses[i];
        // Variables beside each other are different objects, so each is a step.
        if (i > 0 && use.word != log::kNoWord && use.word == shape.uses[i - 1].word &&
            use.proof == shape.uses[i - 1].proof) {
            StepShape& open = made->steps_.back();
            const i64 low = std::min(open.low, use.offset);
            const i64 high = std::max(open.low + open.reach + 1, use.offset + use.bytes);
            if (high - low <= static_cast<i64>(kLongest)) {
                open.low = low;
                open.reach = static_cast<u8>(high - low - 1);
                open.stores |= use.stores;
                continue;
            }
        }
        made->steps_.push_back({use.offset, place_of(use.word), static_cast<u8>(use.bytes - 1),
                                static_cast<u8>(i), use.stores, 0, 0});
    }
    for (usize i = 0, step = 0; i < shape.uses.size(); ++i) {
        if (step + 1 < made->steps_.size() && made->steps_[step + 1].use == i) ++step;
        add_bits(made->steps_[step], shape.uses[i]);
    }
    for (usize segment = shape.segments.size(); segment-- > 0;) {
        u32 uses = 0, steps = 0;
        for (const AccessUse& use : shape.uses) uses += segment_of(shape, use.proof) <= segment;
        for (const StepShape& step : made->steps_) steps += step.use < uses;
        made->parts_.push_back(
            {place_of(shape.segments[segment].marker), static_cast<u8>(steps), static_cast<u8>(uses)});
    }
    return made;
}

}  // namespace memspy::cost
