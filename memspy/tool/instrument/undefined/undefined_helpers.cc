// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/undefined/undefined_helpers.h"

namespace memspy::instrument::undefined_helpers {

namespace {

__extension__ using u128 = unsigned __int128;

constexpr unsigned width_of(u64 config) { return config & 0xff; }
constexpr u64 ones(unsigned bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }

constexpr unsigned bit_length(u64 x) { return x == 0 ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(x)); }
constexpr unsigned bit_length(u128 x) {
    u64 high = static_cast<u64>(x >> 64);
    return high != 0 ? 64 + bit_length(high) : bit_length(static_cast<u64>(x));
}
// Returns 128 for zero.
constexpr unsigned trailing_zeros(u128 x) {
    u64 low = static_cast<u64>(x), high = static_cast<u64>(x >> 64);
    if (low != 0) return static_cast<unsigned>(__builtin_ctzll(low));
    return high != 0 ? 64 + static_cast<unsigned>(__builtin_ctzll(high)) : 128;
}
// __builtin_popcountll would call libgcc on processors without the instruction.
constexpr unsigned ones_in(u64 x) {
    unsigned count = 0;
    for (; x != 0; x &= x - 1) ++count;
    return count;
}
constexpr u64 sign_extend(u64 x, unsigned width) {
    u64 sign = u64{1} << (width - 1);
    return ((x & ones(width)) ^ sign) - sign;
}
constexpr u128 widen(u64 x, unsigned width, bool is_signed) {
    if (!is_signed) return x & ones(width);
    u64 low = sign_extend(x, width);
    u64 high = (low >> 63) != 0 ? ~u64{0} : 0;
    return (u128{high} << 64) | low;
}

// One operand of an operation on lanes: its value with every undefined bit 0, and its shadow.
struct Lane {
    u64 value;
    u64 shadow;
    u64 smallest() const { return value & ~shadow; }
    u64 largest() const { return value | shadow; }
};

template <class Rule>
u64 for_each_lane(u64 config, u64 a, u64 b, u64 sa, u64 sb, Rule rule) {
    if ((sa | sb) == 0) return 0;
    const unsigned width = width_of(config);
    const u64 mask = ones(width);
    u64 result = 0;
    for (unsigned at = 0; at < 64; at += width) {
        Lane x{(a >> at) & mask, (sa >> at) & mask};
        Lane y{(b >> at) & mask, (sb >> at) & mask};
        if ((x.shadow | y.shadow) != 0) result |= (rule(x, y) & mask) << at;
    }
    return result;
}

// Shadow of a product modulo 2^128.
u128 product_shadow(u128 a, u128 b, u128 sa, u128 sb) {
    if ((sa | sb) == 0) return 0;
    const u128 largest_a = a | sa, largest_b = b | sb;
    if (largest_a == 0 || largest_b == 0) return 0;  // one side is a defined zero
    // Multiplication by a defined power of two is a shift.
    if (sb == 0 && (b & (b - 1)) == 0) return sa << trailing_zeros(b);
    if (sa == 0 && (a & (a - 1)) == 0) return sb << trailing_zeros(a);
    // An undefined bit at position i of one side adds a multiple of 2^i times the other side, and the other
    // side is a multiple of 2^(number of its low bits that are certainly zero).
    const unsigned low_a = trailing_zeros(largest_a), low_b = trailing_zeros(largest_b);
    unsigned first = 128;
    if (sa != 0) first = trailing_zeros(sa) + low_b;
    if (sb != 0) {
        const unsigned from_b = trailing_zeros(sb) + low_a;
        if (from_b < first) first = from_b;
    }
    if (first >= 128) return 0;
    u128 result = ~u128{0} << first;
    // If the largest product fits, the bits above its length are always zero.
    if (bit_length(largest_a) + bit_length(largest_b) <= 128) {
        const unsigned length = bit_length(largest_a * largest_b);
        if (length < 128) result &= (u128{1} << length) - 1;
    }
    return result;
}

u64 spread(bool undefined) { return undefined ? ~u64{0} : 0; }

}  // namespace

u64 lane_add(u64 config, u64 a, u64 b, u64 sa, u64 sb) {
    // A carry is undefined exactly if it differs between the smallest and the largest operands.
    return for_each_lane(config, a, b, sa, sb, [](Lane x, Lane y) {
        return ((x.smallest() + y.smallest()) ^ (x.largest() + y.largest())) | x.shadow | y.shadow;
    });
}

u64 lane_sub(u64 config, u64 a, u64 b, u64 sa, u64 sb) {
    return for_each_lane(config, a, b, sa, sb, [](Lane x, Lane y) {
        return ((x.smallest() - y.largest()) ^ (x.largest() - y.smallest())) | x.shadow | y.shadow;
    });
}

u64 lane_multiply(u64 config, u64 a, u64 b, u64 sa, u64 sb) {
    return for_each_lane(config, a, b, sa, sb, [](Lane x, Lane y) {
        return static_cast<u64>(product_shadow(x.value, y.value, x.shadow, y.shadow));
    });
}

u64 lane_equal(u64 config, u64 a, u64 b, u64 sa, u64 sb) {
    return for_each_lane(config, a, b, sa, sb, [](Lane x, Lane y) {
        return spread(((x.value ^ y.value) & ~(x.shadow | y.shadow)) == 0);
    });
}

u64 lane_greater(u64 config, u64 a, u64 b, u64 sa, u64 sb) {
    // Flipping the sign bits turns the signed order into the unsigned one.
    const u64 flip = (config & kSigned) != 0 ? u64{1} << (width_of(config) - 1) : 0;
    return for_each_lane(config, a, b, sa, sb, [flip](Lane x, Lane y) {
        x.value ^= flip;
        y.value ^= flip;
        return spread(x.largest() > y.smallest() && x.smallest() <= y.largest());
    });
}

u64 lane_extreme(u64 config, u64 a, u64 b, u64 sa, u64 sb) {
    const u64 flip = (config & kSigned) != 0 ? u64{1} << (width_of(config) - 1) : 0;
    const bool maximum = (config & kMaximum) != 0;
    return for_each_lane(config, a, b, sa, sb, [flip, maximum](Lane x, Lane y) {
        x.value ^= flip;
        y.value ^= flip;
        if (x.largest() <= y.smallest()) return maximum ? y.shadow : x.shadow;
        if (y.largest() <= x.smallest()) return maximum ? x.shadow : y.shadow;
        return x.shadow | y.shadow | (x.value ^ y.value);
    });
}

u64 multiply(u64 config, u64 a, u64 b, u64 sa, u64 sb) {
    if ((sa | sb) == 0) return 0;
    const unsigned width = width_of(config);
    const bool is_signed = (config & kSigned) != 0;
    const u128 result = product_shadow(widen(a, width, is_signed), widen(b, width, is_signed),
                                       widen(sa, width, is_signed), widen(sb, width, is_signed));
    return static_cast<u64>((config & kHighHalf) != 0 ? result >> 64 : result);
}

u64 count_leading_zeros(u64 config, u64 a, u64 sa) {
    if (sa == 0) return 0;
    // The possible counts: one for each undefined bit above the first defined 1, and one for that bit itself.
    const unsigned width = width_of(config);
    const u64 defined_ones = a & ~sa & ones(width);
    const unsigned last = width - bit_length(defined_ones);
    u64 result = 0;
    for (unsigned count = 0; count < last; ++count)
        if (((sa >> (width - 1 - count)) & 1) != 0) result |= count ^ last;
    return result;
}

u64 count_trailing_zeros(u64 config, u64 a, u64 sa) {
    if (sa == 0) return 0;
    const unsigned width = width_of(config);
    const u64 defined_ones = a & ~sa & ones(width);
    const unsigned last = defined_ones == 0 ? width : static_cast<unsigned>(__builtin_ctzll(defined_ones));
    u64 result = 0;
    for (unsigned count = 0; count < last; ++count)
        if (((sa >> count) & 1) != 0) result |= count ^ last;
    return result;
}

u64 count_ones(u64 config, u64 a, u64 sa) {
    const u64 mask = ones(width_of(config));
    // All counts from the least to the largest occur, so all bits up to the highest differing one vary.
    const u64 least = ones_in(a & ~sa & mask), largest = least + ones_in(sa & mask);
    return ones(bit_length(least ^ largest));
}

u64 left(u64 config, u64 a, u64 sa) {
    // Bit i of the result is the union of bits 0 to i of the operand.
    const u64 mask = ones(width_of(config));
    const u64 defined_ones = a & ~sa;
    return (sa | (0 - sa)) & ~(defined_ones | (0 - defined_ones)) & mask;
}

u64 lane_any(u64 config, u64 shadow) {
    return for_each_lane(config, 0, 0, shadow, 0, [](Lane, Lane) { return ~u64{0}; });
}

u64 lane_any_narrow(u64 config, u64 high, u64 low) {
    const unsigned width = width_of(config), half = width / 2;
    u64 result = 0;
    for (unsigned at = 0; at < 64; at += width) {
        if (((low >> at) & ones(width)) != 0) result |= ones(half) << (at / 2);
        if (((high >> at) & ones(width)) != 0) result |= ones(half) << (at / 2 + 32);
    }
    return result;
}

u64 lane_any_widen(u64 config, u64 shadow) {
    if ((config & kHighHalf) != 0) shadow >>= 32;
    const unsigned width = width_of(config);
    u64 result = 0;
    for (unsigned at = 0; at < 32; at += width)
        if (((shadow >> at) & ones(width)) != 0) result |= ones(2 * width) << (2 * at);
    return result;
}

}  // namespace memspy::instrument::undefined_helpers
