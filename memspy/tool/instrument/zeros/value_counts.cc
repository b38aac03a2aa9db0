// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/value_counts.h"

#include "instrument/zeros/value_bits.h"
#include "instrument/zeros/zero_layout.h"

namespace memspy::instrument {

void ValueCounter::count(IRExpr* const* words) {
    const ValueType type = place_.type;
    const u32 bytes = type.bytes(), count = (type.load_bytes() + kWord - 1) / kWord;
    if (!type.is_float() && type.lanes() > 1 && bytes == 1) return count_bytes(words, count);
    if (!type.is_float() && type.lanes() > 1 && bytes == 2) return count_shorts(words, count);
    for (u32 i = 0; i < count; ++i) {
        const u32 lanes = type.load_bytes() < kWord ? type.lanes() : kWord / bytes;
        if (type.is_float()) {
            bytes == kWord ? count_double(words[i]) : count_floats(words[i], lanes);
        } else if (lanes == 1) {
            count_integer(words[i]);
        } else {
            count_integer(masked(words[i], 0xFFFF'FFFF));
            count_integer(down(words[i], 32));
        }
    }
}

// The address is computed anew for each use, so that the instruction selector can fold it into the instruction.
IRExpr* ValueCounter::counter(IRExpr* index, u64 first) {
    IRExpr* base = place_.base;
    if (index != nullptr) base = emit_.binop(Iop_Add64, base, up(index, 3));
    return emit_.binop(Iop_Add64, base, Emitter::u64c(place_.offset + first * sizeof(u64)));
}

void ValueCounter::add(IRExpr* number, IRExpr* index, u64 first) {
    IRExpr* sum = emit_.binop(Iop_Add64, emit_.load(Ity_I64, counter(index, first)), number);
    emit_.store(counter(index, first), sum);
}

void ValueCounter::add_one(IRExpr* index, u64 first) {
    add(guard_ == nullptr ? Emitter::u64c(1) : flag(guard_), index, first);
}

IRExpr* ValueCounter::if_loaded(IRExpr* number) {
    return guard_ == nullptr ? number : emit_.ite(guard_, number, Emitter::u64c(0));
}

// counters[leading zero bytes of value] += 1;  of 8 bytes, last[leading zero bytes of value] = value
// For a byte one subtraction detects zero. On amd64 Clz64(0) is undefined, and 0 must differ from 1. So a
// value of less than 8 bytes moves up by a byte and gets a bit below. A value v of 8 bytes becomes v | 2 * v
// | 1: one bit longer unless it already has 64 bits, with one zero bit less. On arm64 zero has 64 zero bits.
void ValueCounter::count_integer(IRExpr* value) {
    const u32 bytes = place_.type.bytes();
    if (bytes == 1) return add_one(down(emit_.binop(Iop_Sub64, value, Emitter::u64c(1)), 63), 0);
    u64 first = u64{bytes} - kWord;
#if defined(VGA_amd64)
    auto marked = [&](IRExpr* bits) { return emit_.binop(Iop_Or64, bits, Emitter::u64c(1)); };
    IRExpr* zero_bits = nullptr;
    if (bytes == kWord) {
        zero_bits = emit_.unop(leading_zeros_64(), marked(emit_.binop(Iop_Or64, up(value, 1), value)));
        zero_bits = emit_.binop(Iop_Add64, zero_bits, Emitter::u64c(1));
    } else {
        zero_bits = emit_.unop(leading_zeros_64(), marked(up(value, 8)));
        ++first;  // one zero byte less
    }
#else
    IRExpr* zero_bits = emit_.unop(leading_zeros_64(), value);
#endif
    IRExpr* index = down(zero_bits, 3);
    add_one(index, first);
    if (bytes < kWord) return;
    if (guard_ != nullptr) value = emit_.ite(guard_, value, emit_.load(Ity_I64, counter(index, kLastValues)));
    emit_.store(counter(index, kLastValues), value);
}

// word * 0x0101.. >> 56
IRExpr* ValueCounter::sum_of_bytes(IRExpr* word) {
    return down(emit_.binop(Iop_Mul64, word, Emitter::u64c(0x0101'0101'0101'0101u)), 56);
}

// nonzero = bytes that are not zero;  counters[0] += nonzero;  counters[1] += bytes - nonzero
void ValueCounter::count_bytes(IRExpr* const* words, u32 count) {
    IRExpr* flags = nullptr;
    for (u32 i = 0; i < count; ++i) emit_.gather(Iop_Add64, flags, down(nonzero_flags(emit_, words[i]), 7));
    IRExpr* nonzero = sum_of_bytes(flags);
    add(if_loaded(nonzero), 0);
    add(if_loaded(emit_.binop(Iop_Sub64, Emitter::u64c(place_.type.lanes()), nonzero)), 1);
}

// The same with two bytes in an element: high = elements with a high byte that is not zero, any = those that have one.
void ValueCounter::count_shorts(IRExpr* const* words, u32 count) {
    constexpr u64 kElements = 0x0001'0001'0001'0001u;
    IRExpr *highs = nullptr, *anys = nullptr;
    for (u32 i = 0; i < count; ++i) {
        IRExpr* flags = nonzero_flags(emit_, words[i]);
        IRExpr* high = masked(down(flags, 15), kElements);
        IRExpr* low = masked(down(flags, 7), kElements);
        emit_.gather(Iop_Add64, highs, high);
        emit_.gather(Iop_Add64, anys, emit_.binop(Iop_Or64, high, low));
    }
    IRExpr *high = sum_of_bytes(highs), *any = sum_of_bytes(anys);
    add(if_loaded(high), 0);
    add(if_loaded(emit_.binop(Iop_Sub64, any, high)), 1);
    add(if_loaded(emit_.binop(Iop_Sub64, Emitter::u64c(place_.type.lanes()), any)), 2);
}

// counters[nonzero cells] += 1, for one or two floats of a word
void ValueCounter::count_floats(IRExpr* word, u32 lanes) {
    IRExpr* set = set_of_flags(emit_, nonzero_flags(emit_, cells_of_floats(emit_, word, false)));
    for (u32 i = 0; i < lanes; ++i) {
        IRExpr* sign = masked(down(word, 32 * i + 27), 1u << kSignCell);
        add_one(emit_.binop(Iop_Or64, masked(down(set, kSignCell * i), (1u << kSignCell) - 1), sign), 0);
    }
}

// lower = nonzero cells 0 to 4, upper = 5 to 9
// counters[lower] += 1;  counters[32 + upper] += 1;  counters[64] += word == 0
void ValueCounter::count_double(IRExpr* word) {
    IRExpr* set = set_of_flags(emit_, nonzero_flags(emit_, cells_of_floats(emit_, word, true)));
    IRExpr* top = down(word, 60);  // the sign, the high cell of the exponent
    IRExpr* exponent = emit_.binop(Iop_Add64, masked(top, 7), Emitter::u64c(7));
    IRExpr* upper = emit_.binop(Iop_Or64, down(set, 5), masked(exponent, 8));
    upper = emit_.binop(Iop_Or64, upper, masked(up(top, 1), 16));
    add_one(masked(set, kHalfOfDouble - 1), 0);
    add_one(upper, kHalfOfDouble);
    IRExpr* zero = emit_.binop(Iop_CmpEQ64, word, Emitter::u64c(0));
    add(if_loaded(flag(zero)), kZeroDoubles);
}

}  // namespace memspy::instrument
