// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rule for undefined bits of each VEX operation.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

// `s` stands for the shadows of the operands, `lane` for OpRule::lane_bits. A *control* is an operand of type
// I8 or I32 beside data of another type: a rounding mode, an index, an amount. Unless the rule says
// otherwise, an undefined bit in it makes the whole result undefined.
enum class UndefinedRule : u8 {
    Whole,    // one undefined bit anywhere makes the whole result undefined
    Defined,  // never undefined
    Same,     // the operand's shadow, bit for bit
    // Operations that only move data: the operation itself is applied to the shadows.
    Steer,
    SteerBy,          // (data, amount or index): applied to the data's shadow
    SteerByLane,      // (data, amounts or indices in lanes): a lane with an undefined one is undefined
    SteerByLaneByte,  // the same, but only the low byte of each lane counts
    SetElement,       // (vector, index, element)
    Slice,            // (high, low, amount)
    PermuteTwo,       // (data, data, indices in lanes)
    Reinterpret,      // the same bits under another type
    ClearSign,        // absolute value of floating point: the top bit of each lane becomes defined
    // Bits and integers; exact. `lane` is the width, also for scalars.
    And,
    Or,
    Xor,
    Add,
    Sub,
    Multiply,
    MultiplyWideSigned,
    MultiplyWideUnsigned,
    Left,
    LeadingZeros,
    TrailingZeros,
    CountOnes,
    // Comparisons; exact. The result is an I1, except for NonZeroWord.
    Equal,
    LessSigned,
    LessUnsigned,
    LessEqualSigned,
    LessEqualUnsigned,
    NonZero,
    NonZeroWord,
    // Comparisons of lanes, giving all ones or zero; exact.
    LaneEqual,
    LaneGreaterSigned,
    LaneGreaterUnsigned,
    LaneNonZero,
    MinSigned,
    MinUnsigned,
    MaxSigned,
    MaxUnsigned,
    // A lane of the result is undefined if any bit of the lanes is undefined that it is made from.
    Lanes,               // result lane i from lane i of each operand
    LowLane,             // as Lanes for the lowest lane; the others are the first data operand's
    EvenLanes,           // from the lower halves of the lanes (which are `lane` wide before widening)
    NarrowLanes,         // each `lane` of the operands (last operand lowest) gives one of half the width
    WidenLanes,          // each `lane` gives one of twice the width
    NarrowLanesAndFlag,  // NarrowLanes, and bit 0 of the upper half of the result from all lanes
    LanesAndFlag,        // Lanes, with the same flag
};

struct OpRule {
    UndefinedRule rule = UndefinedRule::Whole;
    u8 lane_bits = 0;
};

// Rule::Whole for every operation that is not listed, including those of later Valgrinds.
OpRule rule_of(IROp op);

}  // namespace memspy::instrument
