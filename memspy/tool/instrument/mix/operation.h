// SPDX-License-Identifier: GPL-2.0-or-later
//
// What one guest instruction does: its class, its floating operations, its accesses. Decided when the
// translation is made. The class of a branch comes from the instruction's code, all else from its IR.
#pragma once

#include "instrument/core/access.h"

namespace memspy::instrument {

// Counts of an instruction. Each instruction has exactly one of the classes, up to kClasses; the others are
// amounts.
enum class OperationCount : u8 {
    Integer,      // integer arithmetic and logic, moves, all that is none of the following
    Vector,       // on vector registers without floating arithmetic: integers, logic, shuffles
    Conversions,  // floating conversions and comparisons, nothing else
    F32Scalar,    // floating arithmetic by width of an element and of the vector
    F32Vector64,
    F32Vector128,
    F32Vector256,
    F64Scalar,
    F64Vector128,
    F64Vector256,
    Branches,  // conditional
    Jumps,     // unconditional
    Calls,
    Returns,
    SystemCalls,
    // Operations on elements: an addition of two vectors of four is four, a fused multiplication and addition
    // two.
    F32Operations,
    F64Operations,
    Multiplications,  // of these, those of fused operations, too
    Divisions,        // and square roots, and estimates of both
    FromIntegers,     // conversions of integers to floating numbers, as of drawn numbers
    Loads,
    Stores,
    LoadedBytes,
    StoredBytes,
    LoadedAddresses,  // accesses at addresses that come from memory
    StaticallyTaken,  // a conditional branch whose direction the optimiser knew, and which is taken
    StaticallyPassed
};
inline constexpr u32 kClasses = 15;
inline constexpr u32 kOperationCounts = 27;

struct InstructionCounts {
    u16 counts[kOperationCounts] = {};

    u16& operator[](OperationCount which) { return counts[static_cast<u32>(which)]; }
    u16 operator[](OperationCount which) const { return counts[static_cast<u32>(which)]; }
    bool operator==(const InstructionCounts&) const = default;
};

// How an instruction leaves its straight line.
enum class CodeFlow : u8 { Straight, Branch, Jump, Call, Return, SystemCall };
CodeFlow flow_of(const u8* code);

// The counts of the statements [begin, end), which belong to one instruction; `first`: they are its first
// ones, so that they have its class. `flow` and the class are those of the whole instruction [mark,
// whole_end). Accesses with a guard are left out.
InstructionCounts operation_of(const IRSB* block, int mark, int whole_end, int begin, int end);

}  // namespace memspy::instrument
