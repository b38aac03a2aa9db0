// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which bits of a result are undefined, computed on 64-bit words.
//
// These are the operations whose rule is too long for inline IR; instrument/undefined.cc calls them from
// generated code as clean helpers, so they are pure functions of their arguments. A *shadow* has a 1 for each
// undefined bit. Values may have any content in their undefined bits. Lanes are 8, 16, 32 or 64 bits wide and
// fill the word; a scalar narrower than the word comes zero-extended, both value and shadow.
//
// "Exact" means: a bit is undefined if and only if some choice of the operands' undefined bits changes it.
// No Valgrind here: unit tests run them natively against all choices.
#pragma once

#include "rt/base.h"

namespace memspy::instrument::undefined_helpers {

// First argument of most functions: lane width in the low 8 bits, then flags.
inline constexpr u64 kSigned = 0x100;
inline constexpr u64 kMaximum = 0x200;   // of lane_extreme: maximum rather than minimum
inline constexpr u64 kHighHalf = 0x400;  // of multiply and widen: the upper 64 bits of the result

// Sum and difference, lane by lane; exact.
u64 lane_add(u64 config, u64 a, u64 b, u64 sa, u64 sb);
u64 lane_sub(u64 config, u64 a, u64 b, u64 sa, u64 sb);
// Low half of the product, lane by lane: see multiply().
u64 lane_multiply(u64 config, u64 a, u64 b, u64 sa, u64 sb);
// Equality of lanes, giving all ones or zero in each: a lane's result is undefined as a whole; exact.
u64 lane_equal(u64 config, u64 a, u64 b, u64 sa, u64 sb);
// Likewise a > b.
u64 lane_greater(u64 config, u64 a, u64 b, u64 sa, u64 sb);
// Minimum or maximum: exact when the ranges of the lanes do not meet, else at least the bits in which the
// operands are undefined or differ.
u64 lane_extreme(u64 config, u64 a, u64 b, u64 sa, u64 sb);

// Product of two scalars of `lane` bits, widened first (kSigned or not) to twice that. Exact when one side is
// a defined power of two. Otherwise everything from the lowest bit that can vary is undefined, up to the
// bit length of the largest product.
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
// The lanes of `high` and `low` (high:low, 128 bits) as above, each narrowed to half its width.
u64 lane_any_narrow(u64 config, u64 high, u64 low);
// The lanes of the low (kHighHalf: high) half of `shadow` as above, each widened to twice its width.
u64 lane_any_widen(u64 config, u64 shadow);

}  // namespace memspy::instrument::undefined_helpers
