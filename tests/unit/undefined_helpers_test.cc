// SPDX-License-Identifier: GPL-2.0-or-later
//
// The helpers of undefined-bit propagation against brute force: for every pair of values and of shadows of a
// few bits, all choices of the undefined bits are tried, which gives the bits that really vary. A helper must
// not call such a bit defined; an exact helper must not call any other bit undefined.
//
// Operands of `kBits` bits are at the top or at the bottom of a lane, so that both carries into a lane's
// upper bits and signs are covered; every lane of a word gets the same operands and must give the same
// result.
#include "instrument/undefined/undefined_helpers.h"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

using namespace memspy;
namespace helpers = instrument::undefined_helpers;

int failures = 0;

void fail(const char* what, unsigned lane, u64 a, u64 b, u64 sa, u64 sb, u64 got, u64 wanted) {
    std::printf("%s, lane %u: a %llx b %llx sa %llx sb %llx: got %llx, really %llx\n", what, lane,
                static_cast<unsigned long long>(a), static_cast<unsigned long long>(b),
                static_cast<unsigned long long>(sa), static_cast<unsigned long long>(sb),
                static_cast<unsigned long long>(got), static_cast<unsigned long long>(wanted));
    if (++failures > 20) std::exit(1);
}

u64 ones(unsigned bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }

u64 repeat(unsigned lane, u64 pattern) {
    u64 result = 0;
    for (unsigned at = 0; at < 64; at += lane) result |= (pattern & ones(lane)) << at;
    return result;
}

i64 as_signed(u64 x, unsigned lane) {
    const u64 sign = u64{1} << (lane - 1);
    return static_cast<i64>((x ^ sign) - sign);
}

// The bits of operation(a', b') that vary when the undefined bits of a and b take all values.
template <class Operation>
u64 really_varying(u64 a, u64 b, u64 sa, u64 sb, Operation operation) {
    const u64 first = operation(a & ~sa, b & ~sb);
    u64 result = 0, pa = 0;
    do {
        u64 pb = 0;
        do {
            result |= operation((a & ~sa) | pa, (b & ~sb) | pb) ^ first;
            pb = (pb - sb) & sb;
        } while (pb != 0);
        pa = (pa - sa) & sa;
    } while (pa != 0);
    return result;
}

enum class Promise { Exact, Sound };

// All operands of `bits` bits at both ends of the lane.
template <class Operation>
void check_lanes(const char* what, u64 (*helper)(u64, u64, u64, u64, u64), u64 flags, unsigned lane,
                 unsigned bits, Promise promise, Operation operation) {
    for (unsigned shift : {0u, lane - bits}) {
        for (u64 choice = 0; choice < u64{1} << (4 * bits); ++choice) {
            const u64 a = (choice & ones(bits)) << shift, b = (choice >> bits & ones(bits)) << shift;
            const u64 sa = (choice >> (2 * bits) & ones(bits)) << shift;
            const u64 sb = (choice >> (3 * bits) & ones(bits)) << shift;
            const u64 wanted =
                really_varying(a, b, sa, sb, [&](u64 x, u64 y) { return operation(x, y) & ones(lane); });
            const u64 word =
                helper(lane | flags, repeat(lane, a), repeat(lane, b), repeat(lane, sa), repeat(lane, sb));
            const u64 got = word & ones(lane);
            if (word != repeat(lane, got) || (wanted & ~got) != 0 ||
                (promise == Promise::Exact && got != wanted))
                fail(what, lane, a, b, sa, sb, got, wanted);
        }
    }
}

void check_all_lanes() {
    for (unsigned lane : {8u, 16u, 32u, 64u}) {
        const unsigned bits = 3;
        auto spread = [](bool condition) { return condition ? ~u64{0} : u64{0}; };
        check_lanes("add", helpers::lane_add, 0, lane, bits, Promise::Exact,
                    [](u64 x, u64 y) { return x + y; });
        check_lanes("sub", helpers::lane_sub, 0, lane, bits, Promise::Exact,
                    [](u64 x, u64 y) { return x - y; });
        check_lanes("equal", helpers::lane_equal, 0, lane, bits, Promise::Exact,
                    [&](u64 x, u64 y) { return spread(x == y); });
        check_lanes("greater unsigned", helpers::lane_greater, 0, lane, bits, Promise::Exact,
                    [&](u64 x, u64 y) { return spread(x > y); });
        check_lanes("greater signed", helpers::lane_greater, helpers::kSigned, lane, bits, Promise::Exact,
                    [&](u64 x, u64 y) { return spread(as_signed(x, lane) > as_signed(y, lane)); });
        check_lanes("multiply", helpers::lane_multiply, 0, lane, bits, Promise::Sound,
                    [](u64 x, u64 y) { return x * y; });
        check_lanes("minimum", helpers::lane_extreme, 0, lane, bits, Promise::Sound,
                    [](u64 x, u64 y) { return x < y ? x : y; });
        check_lanes("maximum signed", helpers::lane_extreme, helpers::kSigned | helpers::kMaximum, lane, bits,
                    Promise::Sound,
                    [&](u64 x, u64 y) { return as_signed(x, lane) > as_signed(y, lane) ? x : y; });
    }
    check_lanes("add", helpers::lane_add, 0, 8, 4, Promise::Exact, [](u64 x, u64 y) { return x + y; });
    check_lanes("sub", helpers::lane_sub, 0, 8, 4, Promise::Exact, [](u64 x, u64 y) { return x - y; });
}

// Widening products: sound, both halves; exact for a defined power of two; never worse than a left smear.
void check_multiply() {
    __extension__ using i128 = __int128;
    __extension__ using u128 = unsigned __int128;
    for (unsigned lane : {8u, 16u, 32u, 64u}) {
        for (u64 flags : {u64{0}, helpers::kSigned}) {
            auto product = [&](u64 x, u64 y) -> u128 {
                if (flags == 0) return u128{x} * y;
                return static_cast<u128>(i128{as_signed(x, lane)} * as_signed(y, lane));
            };
            for (unsigned shift : {0u, lane / 2, lane - 3}) {
                for (u64 choice = 0; choice < 4096; ++choice) {
                    const u64 a = (choice & 7) << shift, b = (choice >> 3 & 7) << shift;
                    const u64 sa = (choice >> 6 & 7) << shift, sb = (choice >> 9 & 7) << shift;
                    for (u64 half : {u64{0}, helpers::kHighHalf}) {
                        // Below 64 bits the result is read from the low word, 2 * lane bits of it.
                        if (half != 0 && lane != 64) continue;
                        const u64 read = ones(2 * lane);
                        auto part = [&](u64 x, u64 y) {
                            return static_cast<u64>(half != 0 ? product(x, y) >> 64 : product(x, y)) & read;
                        };
                        const u64 wanted = really_varying(a, b, sa, sb, part);
                        const u64 got = helpers::multiply(lane | flags | half, a, b, sa, sb) & read;
                        const bool power = flags == 0 && sb == 0 && (b & (b - 1)) == 0;
                        // In the low half never more than all bits from the lowest undefined one on.
                        const u64 smeared = half != 0 ? ~u64{0} : (sa | sb) | (0 - (sa | sb));
                        if ((wanted & ~got) != 0 || (got & ~smeared) != 0 || (power && got != wanted))
                            fail(flags != 0 ? "multiply signed" : "multiply", lane, a, b, sa, sb, got,
                                 wanted);
                    }
                }
            }
        }
    }
}

template <class Operation>
void check_unary(const char* what, u64 (*helper)(u64, u64, u64), Operation operation) {
    for (unsigned lane : {8u, 16u, 32u, 64u}) {
        for (unsigned shift : {0u, 2u, lane - 6}) {
            for (u64 above : {u64{0}, u64{1} << (lane - 1), u64{1}}) {
                for (u64 choice = 0; choice < 4096; ++choice) {
                    const u64 a = ((choice & 63) << shift) | above, sa = (choice >> 6) << shift;
                    const u64 wanted = really_varying(
                        a, 0, sa, 0, [&](u64 x, u64) { return operation(x, lane) & ones(lane); });
                    const u64 got = helper(lane, a, sa);
                    if (got != wanted) fail(what, lane, a, 0, sa, 0, got, wanted);
                }
            }
        }
    }
}

void check_counts() {
    check_unary("count leading zeros", helpers::count_leading_zeros, [](u64 x, unsigned lane) {
        u64 n = 0;
        while (n < lane && (x >> (lane - 1 - n) & 1) == 0) ++n;
        return n;
    });
    check_unary("count trailing zeros", helpers::count_trailing_zeros, [](u64 x, unsigned lane) {
        u64 n = 0;
        while (n < lane && (x >> n & 1) == 0) ++n;
        return n;
    });
    check_unary("count ones", helpers::count_ones,
                [](u64 x, unsigned) { return static_cast<u64>(__builtin_popcountll(x)); });
    check_unary("left", helpers::left, [](u64 x, unsigned) { return x | (0 - x); });
}

// Lanes with an undefined bit, bit by bit from their definition.
void check_lane_any() {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20000; ++round) {
        const u64 low = random() & random() & random() & random();
        const u64 high = random() & random() & random() & random();
        for (unsigned lane : {8u, 16u, 32u, 64u}) {
            u64 same = 0, narrow = 0, wide[2] = {0, 0};
            for (unsigned bit = 0; bit < 128; ++bit) {
                const u64 word = bit < 64 ? low : high;
                const unsigned at = bit % 64 / lane * lane;
                const bool any = (word >> at & ones(lane)) != 0;
                if (!any) continue;
                if (bit < 64) same |= u64{1} << bit;
                const unsigned index = bit / lane, within = bit % lane;
                if (within < lane / 2) narrow |= u64{1} << (index * (lane / 2) + within);
                if (bit < 64 && lane < 64)
                    for (unsigned twice : {within, within + lane}) {
                        const unsigned to = index * 2 * lane + twice;
                        wide[to / 64] |= u64{1} << (to % 64);
                    }
            }
            if (helpers::lane_any(lane, low) != same)
                fail("any", lane, low, 0, 0, 0, helpers::lane_any(lane, low), same);
            if (helpers::lane_any_narrow(lane, high, low) != narrow)
                fail("narrow", lane, high, low, 0, 0, helpers::lane_any_narrow(lane, high, low), narrow);
            if (lane == 64) continue;
            for (u64 half : {u64{0}, u64{1}}) {
                const u64 got = helpers::lane_any_widen(lane | (half != 0 ? helpers::kHighHalf : 0), low);
                if (got != wide[half]) fail("widen", lane, low, half, 0, 0, got, wide[half]);
            }
        }
    }
}

}  // namespace

int main() {
    check_all_lanes();
    check_multiply();
    check_counts();
    check_lane_any();
    if (failures == 0) std::printf("ok\n");
    return failures == 0 ? 0 : 1;
}
