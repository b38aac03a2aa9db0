// SPDX-License-Identifier: GPL-2.0-or-later
//
// The undefined bits of a result, computed on 64-bit words.
//
// The rules of these operations are too long for inline IR. instrument/undefined/undefined.cc calls them from
// generated code as clean helpers, so they are pure functions of their arguments. A *shadow* has a 1 for each
// undefined bit. Values may have any content in their undefined bits. Lanes are 8, 16, 32 or 64 bits wide and
// fill the word; a scalar narrower than the word is zero-extended, both value and shadow.
//
// "Exact" means: a bit is undefined if and only if some choice of the operands' undefined bits changes it.
// Nothing here needs Valgrind: unit tests run the functions natively against all choices.
#pragma once

#include "rt/base.h"

namespace memspy::instrument::undefined_helpers {

// The first argument of most functions has the lane width in its low 8 bits, and flags above.
inline constexpr u64 kSigned = 0x100;
inline constexpr u64 kMaximum = 0x200;   // for lane_extreme: maximum rather than minimum
inline constexpr u64 kHighHalf = 0x400;  // for multiply and widen: the upper 64 bits of the result

// Sum and difference, lane by lane; exact.
u64 lane_add(u64 config, u64 a, u64 b, u64 sa, u64 sb);
u64 lane_sub(u64 config, u64 a, u64 b, u64 sa, u64 sb);
// Low half of the product, lane by lane: see multiply().
u64 lane_multiply(u64 config, u64 a, u64 b, u64 sa, u64 sb);
// Equality of lanes, giving all ones or zero in each. A lane's result is undefined as a whole; exact.
u64 lane_equal(u64 config, u64 a, u64 b, u64 sa, u64 sb);
// The same for a > b.
u64 lane_greater(u64 config, u64 a, u64 b, u64 sa, u64 sb);
// Minimum or maximum. Exact if the ranges of the lanes do not overlap; otherwise at least the bits in which
// the operands are undefined or differ.
u64 lane_extreme(u64 config, u64 a, u64 b, u64 sa, u64 sb);

// Product of two scalars of `lane` bits, widened first (signed with kSigned) to twice that width. Exact if
// one side is a defined power of two. Otherwise everything from the lowest bit that can vary is undefined, up
// to the bit length of the largest product.
u64 multiply(u64 config, u64 a, u64 b, u64 sa, u64 sb);

// Number of leading or trailing zeros (the width itself for zero); exact.
u64 count_leading_zeros(u64 config, u64 a, u64 sa);
u64 count_trailing_zeros(u64 config, u64 a, u64 sa);
// Number of ones; exact.
u64 count_ones(u64 config, u64 a, u64 sa);
// x | -x; exact.
u64 left(u64 config, u64 a, u64 sa);

// Lanes with any undefined bit, as all ones.
u64 lane_any(u64 config, u64 shadow);
// Narrows the lanes of high:low (128 bits) to half their width; a lane with any undefined bit becomes all
// ones.
u64 lane_any_narrow(u64 config, u64 high, u64 low);
// Widens the lanes of the low (kHighHalf: high) half of `shadow` to twice their width, in the same way.
u64 lane_any_widen(u64 config, u64 shadow);

}  // namespace memspy::instrument::undefined_helpers
