// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/known_bits.h"

#include <initializer_list>

namespace memspy::instrument {
namespace {

// VEX numbers the operations on 8, 16, 32 and 64 bits one after the other.
static_assert(Iop_Add64 == Iop_Add8 + 3 && Iop_Sar64 == Iop_Sar8 + 3 && Iop_CmpNE64 == Iop_CmpNE8 + 3 &&
              Iop_Not64 == Iop_Not8 + 3 && Iop_CasCmpEQ64 == Iop_CasCmpEQ8 + 3);

bool is_of(IROp op, IROp first) { return op >= first && op < first + 4; }
u32 bytes_of(IROp op, IROp first) { return 1u << (op - first); }
u64 extended(u64 value, u32 bytes) {
    const u32 shift = 64 - 8 * bytes;
    return static_cast<u64>(static_cast<i64>(value << shift) >> shift);
}

KnownBits sized(u64 value, u32 bytes) { return {true, low_bits(value, bytes)}; }
KnownBits truth(bool value) { return {true, value}; }

KnownBits shifted(IROp op, u64 a, u64 by) {
    if (is_of(op, Iop_Shl8)) return sized(a << (by & 63), bytes_of(op, Iop_Shl8));
    if (is_of(op, Iop_Shr8)) return sized(low_bits(a, bytes_of(op, Iop_Shr8)) >> (by & 63), 8);
    const u32 bytes = bytes_of(op, Iop_Sar8);
    return sized(static_cast<u64>(static_cast<i64>(extended(a, bytes)) >> (by & 63)), bytes);
}

KnownBits compared(IROp op, u64 a, u64 b) {
    const auto a32 = static_cast<u32>(a), b32 = static_cast<u32>(b);
    switch (op) {
        case Iop_CmpLT32U: return truth(a32 < b32);
        case Iop_CmpLE32U: return truth(a32 <= b32);
        case Iop_CmpLT32S: return truth(static_cast<i32>(a32) < static_cast<i32>(b32));
        case Iop_CmpLE32S: return truth(static_cast<i32>(a32) <= static_cast<i32>(b32));
        case Iop_CmpLT64U: return truth(a < b);
        case Iop_CmpLE64U: return truth(a <= b);
        case Iop_CmpLT64S: return truth(static_cast<i64>(a) < static_cast<i64>(b));
        case Iop_CmpLE64S: return truth(static_cast<i64>(a) <= static_cast<i64>(b));
        default: return {};
    }
}

// Of one size in another one.
KnownBits converted(IROp op, u64 a) {
    switch (op) {
        case Iop_8Uto16:
        case Iop_8Uto32:
        case Iop_8Uto64:
        case Iop_16to8:
        case Iop_32to8:
        case Iop_64to8: return sized(a, 1);
        case Iop_16Uto32:
        case Iop_16Uto64:
        case Iop_32to16:
        case Iop_64to16: return sized(a, 2);
        case Iop_32Uto64:
        case Iop_64to32: return sized(a, 4);
        case Iop_1Uto8:
        case Iop_1Uto32:
        case Iop_1Uto64:
        case Iop_32to1:
        case Iop_64to1: return truth((a & 1) != 0);
        case Iop_8Sto16: return sized(extended(a, 1), 2);
        case Iop_8Sto32: return sized(extended(a, 1), 4);
        case Iop_8Sto64: return sized(extended(a, 1), 8);
        case Iop_16Sto32: return sized(extended(a, 2), 4);
        case Iop_16Sto64: return sized(extended(a, 2), 8);
        case Iop_32Sto64: return sized(extended(a, 4), 8);
        case Iop_1Sto32: return sized((a & 1) != 0 ? ~u64{0} : 0, 4);
        case Iop_1Sto64: return sized((a & 1) != 0 ? ~u64{0} : 0, 8);
        case Iop_64HIto32: return sized(a >> 32, 4);
        case Iop_32HIto16: return sized(a >> 16, 2);
        case Iop_16HIto8: return sized(a >> 8, 1);
        default: return {};
    }
}

}  // namespace

KnownBits constant_bits(const IRConst& c) {
    switch (c.tag) {
        case Ico_U1: return {true, c.Ico.U1};
        case Ico_U8: return {true, c.Ico.U8};
        case Ico_U16: return {true, c.Ico.U16};
        case Ico_U32: return {true, c.Ico.U32};
        case Ico_U64: return {true, c.Ico.U64};
        default: return {};
    }
}

KnownBits unary_bits(IROp op, KnownBits a) {
    if (!a.known) return {};
    if (is_of(op, Iop_Not8)) return sized(~a.bits, bytes_of(op, Iop_Not8));
    switch (op) {
        case Iop_Not1: return truth((a.bits & 1) == 0);
        case Iop_CmpNEZ8: return truth(low_bits(a.bits, 1) != 0);
        case Iop_CmpNEZ16: return truth(low_bits(a.bits, 2) != 0);
        case Iop_CmpNEZ32: return truth(low_bits(a.bits, 4) != 0);
        case Iop_CmpNEZ64: return truth(a.bits != 0);
        case Iop_CmpwNEZ32: return sized(low_bits(a.bits, 4) != 0 ? ~u64{0} : 0, 4);
        case Iop_CmpwNEZ64: return sized(a.bits != 0 ? ~u64{0} : 0, 8);
        default: return converted(op, a.bits);
    }
}

KnownBits binary_bits(IROp op, KnownBits a, KnownBits b) {
    if (!a.known || !b.known) return {};
    if (is_of(op, Iop_Add8)) return sized(a.bits + b.bits, bytes_of(op, Iop_Add8));
    if (is_of(op, Iop_Sub8)) return sized(a.bits - b.bits, bytes_of(op, Iop_Sub8));
    if (is_of(op, Iop_Mul8)) return sized(a.bits * b.bits, bytes_of(op, Iop_Mul8));
    if (is_of(op, Iop_Or8)) return {true, a.bits | b.bits};
    if (is_of(op, Iop_And8)) return {true, a.bits & b.bits};
    if (is_of(op, Iop_Xor8)) return {true, a.bits ^ b.bits};
    if (is_of(op, Iop_Shl8) || is_of(op, Iop_Shr8) || is_of(op, Iop_Sar8)) return shifted(op, a.bits, b.bits);
    for (const IROp equal : {Iop_CmpEQ8, Iop_CasCmpEQ8})
        if (is_of(op, equal))
            return truth(low_bits(a.bits, bytes_of(op, equal)) == low_bits(b.bits, bytes_of(op, equal)));
    for (const IROp other : {Iop_CmpNE8, Iop_CasCmpNE8, Iop_ExpCmpNE8})
        if (is_of(op, other))
            return truth(low_bits(a.bits, bytes_of(op, other)) != low_bits(b.bits, bytes_of(op, other)));
    switch (op) {
        case Iop_And1: return {true, a.bits & b.bits & 1};
        case Iop_Or1: return {true, (a.bits | b.bits) & 1};
        case Iop_32HLto64: return {true, a.bits << 32 | low_bits(b.bits, 4)};
        default: return compared(op, a.bits, b.bits);
    }
}

}  // namespace memspy::instrument
