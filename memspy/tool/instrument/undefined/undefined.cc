// SPDX-License-Identifier: GPL-2.0-or-later
//
// Only operations that the instruction selectors of both amd64 and arm64 implement are emitted, except that
// the guest's own operation may be applied to shadows.
#include "instrument/undefined/undefined.h"

#include "instrument/undefined/undefined_helpers.h"

namespace memspy::instrument {

namespace helpers = undefined_helpers;

namespace {

// `pattern` in each lane of a word.
u64 in_each_lane(unsigned lane_bits, u64 pattern) {
    u64 result = 0;
    for (unsigned at = 0; at < 64; at += lane_bits) result |= pattern << at;
    return result;
}

}  // namespace

// ---- helper calls ----------------------------------------------------------------------------------------

IRExpr* Undefined::call(const char* name, u64 (*function)(u64, u64), u64 config, IRExpr* x) {
    return emit_.assign(Ity_I64, mkIRExprCCall(Ity_I64, 0, name, reinterpret_cast<void*>(function),
                                               mkIRExprVec_2(Emitter::u64c(config), x)));
}

IRExpr* Undefined::call(const char* name, Unary function, u64 config, IRExpr* x, IRExpr* y) {
    return emit_.assign(Ity_I64, mkIRExprCCall(Ity_I64, 0, name, reinterpret_cast<void*>(function),
                                               mkIRExprVec_3(Emitter::u64c(config), x, y)));
}

IRExpr* Undefined::call(const char* name, Binary function, u64 config, IRExpr* a, IRExpr* b, IRExpr* sa,
                        IRExpr* sb) {
    return emit_.assign(Ity_I64, mkIRExprCCall(Ity_I64, 0, name, reinterpret_cast<void*>(function),
                                               mkIRExprVec_5(Emitter::u64c(config), a, b, sa, sb)));
}

// Scalar, unary.
IRExpr* Undefined::count(const char* name, Unary function, const Operation& o) {
    return from_word(o.result,
                     call(name, function, o.rule.lane_bits, to_word(o.value[0]), to_word(o.shadow[0])));
}

// Applies a lane-by-lane helper to all words of the operands. A unary operation gets a defined zero as its
// second operand.
IRExpr* Undefined::word_by_word(const char* name, Binary function, u64 config, const Operation& o) {
    ValueWords a = split(o.value[0]);
    ValueWords b = o.count > 1 ? split(o.value[1]) : split_or_zero(nullptr, o.result);
    ValueWords sa = split_or_zero(o.shadow[0], o.result);
    ValueWords sb = split_or_zero(o.count > 1 ? o.shadow[1] : nullptr, o.result);
    for (unsigned i = 0; i < sa.count; ++i)
        sa.word[i] = call(name, function, config, a.word[i], b.word[i], sa.word[i], sb.word[i]);
    return join(o.result, sa);
}

IRExpr* Undefined::lane_any(unsigned lane_bits, IRExpr* shadow) {
    IRType type = emit_.type_of(shadow);
    if (lane_bits >= bits_in(type)) return any_to(type, shadow);
    if (type == Ity_V128) {
        IROp op = lane_bits == 8    ? Iop_CmpNEZ8x16
                  : lane_bits == 16 ? Iop_CmpNEZ16x8
                  : lane_bits == 32 ? Iop_CmpNEZ32x4
                                    : Iop_CmpNEZ64x2;
        return emit_.unop(op, shadow);
    }
    if (type == Ity_V256)
        return emit_.binop(Iop_V128HLtoV256, lane_any(lane_bits, emit_.unop(Iop_V256toV128_1, shadow)),
                           lane_any(lane_bits, emit_.unop(Iop_V256toV128_0, shadow)));
    ValueWords w = split(shadow);
    for (unsigned i = 0; i < w.count; ++i)
        w.word[i] = call("memspy_lane_any", helpers::lane_any, lane_bits, w.word[i]);
    return join(type, w);
}

// ---- scalar integers -------------------------------------------------------------------------------------

// I32 keeps its type; narrower operands are widened to I64.
Undefined::Scalar Undefined::scalar(IRExpr* value, IRExpr* shadow, IRType type) {
    if (type == Ity_I32) return {value, shadow};
    return {to_word(value), shadow != nullptr ? to_word(shadow) : nullptr};
}

// The operand with all its undefined bits 0.
IRExpr* Undefined::smallest(const Scalar& s) {
    return s.shadow != nullptr ? bit_and(s.value, bit_not(s.shadow)) : s.value;
}

// The operand with all its undefined bits 1.
IRExpr* Undefined::largest(const Scalar& s) {
    return s.shadow != nullptr ? bit_or(s.value, s.shadow) : s.value;
}

// A bit of a AND b is defined if both bits are defined, or if one of them is a defined 0; of a OR b: a
// defined 1.
IRExpr* Undefined::and_or(const Operation& o, bool is_and) {
    IRExpr* open[2];  // bits for which the other operand decides the result
    for (unsigned i = 0; i < 2; ++i) {
        if (o.shadow[1 - i] == nullptr && o.shadow[i] != nullptr) {
            open[i] = nullptr;  // not needed
            continue;
        }
        open[i] = is_and ? o.value[i] : bit_not(o.value[i]);
        if (o.shadow[i] != nullptr) open[i] = bit_or(open[i], o.shadow[i]);
    }
    IRExpr* result = merge(o.shadow[0], o.shadow[1]);
    for (IRExpr* mask : open)
        if (mask != nullptr) result = bit_and(result, mask);
    return result;
}

//
//   ((smallest a + smallest b) ^ (largest a + largest b)) | sa | sb
// For differences the other operand's extremes are exchanged. A carry is undefined exactly if it differs
// between the two extremes, so this is exact.
IRExpr* Undefined::add_sub(const Operation& o, bool is_sub) {
    const unsigned lane = o.rule.lane_bits;
    if (lane != bits_in(o.result))
        return is_sub ? word_by_word("memspy_lane_sub", helpers::lane_sub, lane, o)
                      : word_by_word("memspy_lane_add", helpers::lane_add, lane, o);
    const bool is_32 = o.result == Ity_I32;
    const IROp op = is_sub ? (is_32 ? Iop_Sub32 : Iop_Sub64) : (is_32 ? Iop_Add32 : Iop_Add64);
    const Scalar a = scalar(o.value[0], o.shadow[0], o.result);
    const Scalar b = scalar(o.value[1], o.shadow[1], o.result);
    IRExpr* low = emit_.binop(op, smallest(a), is_sub ? largest(b) : smallest(b));
    IRExpr* high = emit_.binop(op, largest(a), is_sub ? smallest(b) : largest(b));
    IRExpr* result = merge(merge(bit_xor(low, high), a.shadow), b.shadow);
    return is_32 ? result : from_word(o.result, result);
}

IRExpr* Undefined::multiply(const Operation& o) {
    const unsigned lane = o.rule.lane_bits;
    if (lane != bits_in(o.result))
        return word_by_word("memspy_lane_multiply", helpers::lane_multiply, lane, o);
    return word_by_word("memspy_multiply", helpers::multiply, lane, o);
}

IRExpr* Undefined::multiply_wide(const Operation& o, bool is_signed) {
    const u64 config = o.rule.lane_bits | (is_signed ? helpers::kSigned : 0);
    IRExpr* v[2] = {to_word(o.value[0]), to_word(o.value[1])};
    IRExpr* s[2];
    for (unsigned i = 0; i < 2; ++i) s[i] = o.shadow[i] != nullptr ? to_word(o.shadow[i]) : Emitter::u64c(0);
    ValueWords w{1, {call("memspy_multiply", helpers::multiply, config, v[0], v[1], s[0], s[1])}};
    if (words_in(o.result) == 2) {
        w.count = 2;
        w.word[1] =
            call("memspy_multiply", helpers::multiply, config | helpers::kHighHalf, v[0], v[1], s[0], s[1]);
    }
    return join(o.result, w);
}

// Undefined if there are undefined bits and all other bits are equal. Both operands are I32 or both I64.
IRExpr* Undefined::equal(const Scalar& a, const Scalar& b) {
    IRExpr* undefined = merge(a.shadow, b.shadow);
    IRExpr* differ =
        bit_and(is_zero_constant(b.value) ? a.value : bit_xor(a.value, b.value), bit_not(undefined));
    const bool is_32 = emit_.type_of(undefined) == Ity_I32;
    IRExpr* equal_so_far = is_32 ? emit_.binop(Iop_CmpEQ32, differ, Emitter::u32c(0))
                                 : emit_.binop(Iop_CmpEQ64, differ, Emitter::u64c(0));
    return emit_.binop(Iop_And1, any(undefined), equal_so_far);
}

//
// a < b is undefined if it may be true and may be false:
//   smallest a < largest b  and  smallest b <= largest a
IRExpr* Undefined::less(const Scalar& a, const Scalar& b, bool is_signed) {
    const bool is_32 = emit_.type_of(a.value) == Ity_I32;
    Scalar x = a, y = b;
    if (is_signed) {
        // With flipped sign bits, signed numbers have the order of unsigned ones.
        IRExpr* sign = is_32 ? Emitter::u32c(u32{1} << 31) : Emitter::u64c(u64{1} << 63);
        x.value = bit_xor(x.value, sign);
        y.value = bit_xor(y.value, sign);
    }
    IRExpr* may_hold = emit_.binop(is_32 ? Iop_CmpLT32U : Iop_CmpLT64U, smallest(x), largest(y));
    IRExpr* may_fail = emit_.binop(is_32 ? Iop_CmpLE32U : Iop_CmpLE64U, smallest(y), largest(x));
    return emit_.binop(Iop_And1, may_hold, may_fail);
}

// ---- vectors ---------------------------------------------------------------------------------------------

IRExpr* Undefined::build(IROp op, unsigned count, IRExpr* const* arguments) {
    switch (count) {
        case 1: return IRExpr_Unop(op, arguments[0]);
        case 2: return IRExpr_Binop(op, arguments[0], arguments[1]);
        case 3: return IRExpr_Triop(op, arguments[0], arguments[1], arguments[2]);
        default: return IRExpr_Qop(op, arguments[0], arguments[1], arguments[2], arguments[3]);
    }
}

// Applies the operation itself to the shadows; operands in the bit mask `controls` keep their values. Null if
// no other operand has an undefined bit.
IRExpr* Undefined::steer(const Operation& o, unsigned controls) {
    IRExpr* arguments[4] = {};
    bool undefined = false;
    for (unsigned i = 0; i < o.count; ++i) {
        if ((controls >> i & 1) != 0) {
            arguments[i] = o.value[i];
        } else {
            arguments[i] = or_zero(o.shadow[i], emit_.type_of(o.value[i]));
            undefined = undefined || o.shadow[i] != nullptr;
        }
    }
    return undefined ? emit_.assign(o.result, build(o.op, o.count, arguments)) : nullptr;
}

IRExpr* Undefined::lanes(const Operation& o) {
    IRExpr* data = nullptr;
    IRExpr* control = nullptr;
    for (unsigned i = 0; i < o.count; ++i) {
        if (o.shadow[i] == nullptr) continue;
        if (emit_.type_of(o.shadow[i]) == o.result)
            data = merge(data, o.shadow[i]);
        else
            control = merge(control, any_to(o.result, o.shadow[i]));
    }
    return merge(data != nullptr ? lane_any(o.rule.lane_bits, data) : nullptr, control);
}

IRExpr* Undefined::low_lane(const Operation& o) {
    if (o.result != Ity_V128 || o.count > 2) return whole(o);
    IRExpr* upper = o.shadow[0];
    IRExpr* both = merge(o.shadow[0], o.count > 1 ? o.shadow[1] : nullptr);
    IRExpr* low = emit_.unop(Iop_V128to64, both);
    if (o.rule.lane_bits == 64) {
        low = emit_.unop(Iop_CmpwNEZ64, low);
    } else {
        IRExpr* mask = Emitter::u64c(0xffffffff);
        low = bit_and(emit_.unop(Iop_CmpwNEZ64, bit_and(low, mask)), mask);
        if (upper != nullptr)
            low = bit_or(low, bit_and(emit_.unop(Iop_V128to64, upper), Emitter::u64c(~u64{0xffffffff})));
    }
    return emit_.binop(Iop_64HLtoV128,
                       upper != nullptr ? emit_.unop(Iop_V128HIto64, upper) : Emitter::u64c(0), low);
}

IRExpr* Undefined::even_lanes(const Operation& o) {
    const unsigned lane = o.rule.lane_bits;
    IRExpr* data = merge(o.shadow[0], o.shadow[1]);
    return lane_any(2 * lane, mask_words(data, in_each_lane(2 * lane, (u64{1} << lane) - 1)));
}

IRExpr* Undefined::narrow_lanes(const Operation& o) {
    ValueWords source{0, {}};
    IRExpr* control = nullptr;
    for (unsigned i = o.count; i-- > 0;) {
        IRType type = shadow_type(emit_.type_of(o.value[i]));
        if (type == Ity_I8 || type == Ity_I32) {
            control = merge(control, any_to(o.result, o.shadow[i]));
            continue;
        }
        ValueWords w = split_or_zero(o.shadow[i], type);
        if (source.count + w.count > 4) return whole(o);
        for (unsigned k = 0; k < w.count; ++k) source.word[source.count++] = w.word[k];
    }
    ValueWords result{words_in(o.result), {}};
    if (source.count != 2 * result.count) return whole(o);
    for (unsigned i = 0; i < result.count; ++i)
        result.word[i] = call("memspy_lane_any_narrow", helpers::lane_any_narrow, o.rule.lane_bits,
                              source.word[2 * i + 1], source.word[2 * i]);
    return merge(join(o.result, result), control);
}

IRExpr* Undefined::widen_lanes(const Operation& o) {
    IRExpr* data = merge(o.shadow[0], o.count > 1 ? o.shadow[1] : nullptr);
    ValueWords source = split(data);
    if (o.count > 2 || 2 * source.count != words_in(o.result)) return whole(o);
    ValueWords result{2 * source.count, {}};
    for (unsigned i = 0; i < result.count; ++i)
        result.word[i] = call("memspy_lane_any_widen", helpers::lane_any_widen,
                              o.rule.lane_bits | (i % 2 != 0 ? helpers::kHighHalf : 0), source.word[i / 2]);
    return join(o.result, result);
}

// A saturating shift and, in bit 0 of the upper half of the result, whether any lane was saturated.
IRExpr* Undefined::with_flag(const Operation& o) {
    IRExpr* one = Emitter::u64c(1);
    if (o.rule.rule == UndefinedRule::LanesAndFlag) {
        IRExpr* low = lane_any(o.rule.lane_bits, merge(o.shadow[0], o.shadow[1]));
        IRExpr* flag = bit_and(any_to(Ity_I64, low), one);
        return emit_.binop(Iop_V128HLtoV256, emit_.binop(Iop_64HLtoV128, Emitter::u64c(0), flag), low);
    }
    IRExpr* result = nullptr;
    if (o.shadow[0] != nullptr) {
        ValueWords w = split(o.shadow[0]);
        IRExpr* low =
            call("memspy_lane_any_narrow", helpers::lane_any_narrow, o.rule.lane_bits, w.word[1], w.word[0]);
        result = emit_.binop(Iop_64HLtoV128, bit_and(any_to(Ity_I64, low), one), low);
    }
    return merge(result, any_to(o.result, o.shadow[1]));
}

IRExpr* Undefined::clear_sign(const Operation& o) {
    const unsigned lane = o.rule.lane_bits;
    return mask_words(o.shadow[0], ~in_each_lane(lane, u64{1} << (lane - 1)));
}

// ---- rules -----------------------------------------------------------------------------------------------

IRExpr* Undefined::whole(const Operation& o) {
    IRExpr* word = nullptr;
    for (unsigned i = 0; i < o.count; ++i)
        if (o.shadow[i] != nullptr) word = merge(word, collapse(o.shadow[i]));
    return word != nullptr ? spread(o.result, word) : nullptr;
}

// Both operands are the same value: the result may be known whatever its undefined bits are.
IRExpr* Undefined::same_operands(const Operation& o, bool& known) {
    known = true;
    switch (o.rule.rule) {
        case UndefinedRule::Xor:
        case UndefinedRule::Sub:
        case UndefinedRule::Equal:
        case UndefinedRule::LessSigned:
        case UndefinedRule::LessUnsigned:
        case UndefinedRule::LessEqualSigned:
        case UndefinedRule::LessEqualUnsigned:
        case UndefinedRule::LaneEqual:
        case UndefinedRule::LaneGreaterSigned:
        case UndefinedRule::LaneGreaterUnsigned: return nullptr;
        case UndefinedRule::And:
        case UndefinedRule::Or:
        case UndefinedRule::MinSigned:
        case UndefinedRule::MinUnsigned:
        case UndefinedRule::MaxSigned:
        case UndefinedRule::MaxUnsigned: return o.shadow[0];
        default: known = false; return nullptr;
    }
}

IRExpr* Undefined::apply_rule(const Operation& o) {
    const unsigned lane = o.rule.lane_bits;
    IRExpr* const* v = o.value;
    IRExpr* const* s = o.shadow;
    const IRType operand = shadow_type(emit_.type_of(v[0]));
    // Operands of the scalar rules, which are all unary or binary.
    auto first = [&] { return scalar(v[0], s[0], operand); };
    auto second = [&] { return scalar(v[1], s[1], operand); };
    auto zero_beside = [&] {
        return Scalar{operand == Ity_I32 ? Emitter::u32c(0) : Emitter::u64c(0), nullptr};
    };
    switch (o.rule.rule) {
        case UndefinedRule::Whole: return whole(o);
        case UndefinedRule::Defined: return nullptr;
        case UndefinedRule::Same: return s[0];
        case UndefinedRule::Steer: return steer(o, 0);
        case UndefinedRule::SteerBy: return merge(steer(o, 0b10), any_to(o.result, s[1]));
        case UndefinedRule::SteerByLane:
            return merge(steer(o, 0b10), s[1] != nullptr ? lane_any(lane, s[1]) : nullptr);
        case UndefinedRule::SteerByLaneByte: {
            IRExpr* amounts = s[1] != nullptr ? mask_words(s[1], in_each_lane(lane, 0xff)) : nullptr;
            return merge(steer(o, 0b10), amounts != nullptr ? lane_any(lane, amounts) : nullptr);
        }
        case UndefinedRule::SetElement: return merge(steer(o, 0b010), any_to(o.result, s[1]));
        case UndefinedRule::Slice: return merge(steer(o, 0b100), any_to(o.result, s[2]));
        case UndefinedRule::PermuteTwo:
            return merge(steer(o, 0b100), s[2] != nullptr ? lane_any(lane, s[2]) : nullptr);
        case UndefinedRule::Reinterpret:
            return emit_.type_of(s[0]) == o.result ? s[0] : join(o.result, split(s[0]));
        case UndefinedRule::ClearSign: return clear_sign(o);
        case UndefinedRule::And: return and_or(o, true);
        case UndefinedRule::Or: return and_or(o, false);
        case UndefinedRule::Xor: return merge(s[0], s[1]);
        case UndefinedRule::Add: return add_sub(o, false);
        case UndefinedRule::Sub: return add_sub(o, true);
        case UndefinedRule::Multiply: return multiply(o);
        case UndefinedRule::MultiplyWideSigned: return multiply_wide(o, true);
        case UndefinedRule::MultiplyWideUnsigned: return multiply_wide(o, false);
        case UndefinedRule::Left: return count("memspy_left", helpers::left, o);
        case UndefinedRule::LeadingZeros:
            return count("memspy_count_leading_zeros", helpers::count_leading_zeros, o);
        case UndefinedRule::TrailingZeros:
            return count("memspy_count_trailing_zeros", helpers::count_trailing_zeros, o);
        case UndefinedRule::CountOnes: return count("memspy_count_ones", helpers::count_ones, o);
        case UndefinedRule::Equal: return equal(first(), second());
        case UndefinedRule::LessSigned: return less(first(), second(), true);
        case UndefinedRule::LessUnsigned: return less(first(), second(), false);
        case UndefinedRule::LessEqualSigned:  // a <= b is the negation of b < a
            return less(second(), first(), true);
        case UndefinedRule::LessEqualUnsigned: return less(second(), first(), false);
        case UndefinedRule::NonZero: return equal(first(), zero_beside());
        case UndefinedRule::NonZeroWord: return any_to(o.result, equal(first(), zero_beside()));
        case UndefinedRule::LaneEqual:
        case UndefinedRule::LaneNonZero:
            return word_by_word("memspy_lane_equal", helpers::lane_equal, lane, o);
        case UndefinedRule::LaneGreaterSigned:
            return word_by_word("memspy_lane_greater", helpers::lane_greater, lane | helpers::kSigned, o);
        case UndefinedRule::LaneGreaterUnsigned:
            return word_by_word("memspy_lane_greater", helpers::lane_greater, lane, o);
        case UndefinedRule::MinSigned:
            return word_by_word("memspy_lane_extreme", helpers::lane_extreme, lane | helpers::kSigned, o);
        case UndefinedRule::MinUnsigned:
            return word_by_word("memspy_lane_extreme", helpers::lane_extreme, lane, o);
        case UndefinedRule::MaxSigned:
            return word_by_word("memspy_lane_extreme", helpers::lane_extreme,
                                lane | helpers::kSigned | helpers::kMaximum, o);
        case UndefinedRule::MaxUnsigned:
            return word_by_word("memspy_lane_extreme", helpers::lane_extreme, lane | helpers::kMaximum, o);
        case UndefinedRule::Lanes: return lanes(o);
        case UndefinedRule::LowLane: return low_lane(o);
        case UndefinedRule::EvenLanes: return even_lanes(o);
        case UndefinedRule::NarrowLanes: return narrow_lanes(o);
        case UndefinedRule::WidenLanes: return widen_lanes(o);
        case UndefinedRule::NarrowLanesAndFlag:
        case UndefinedRule::LanesAndFlag: return with_flag(o);
    }
    return whole(o);
}

IRExpr* Undefined::apply(Operation o) {
    bool undefined = false;
    for (unsigned i = 0; i < o.count; ++i) {
        o.shadow[i] = without_zero(o.shadow[i]);
        undefined = undefined || o.shadow[i] != nullptr;
    }
    if (!undefined) return nullptr;
    o.rule = rule_of(o.op);
    o.result = shadow_type(typeOfIRExpr(emit_.block()->tyenv, build(o.op, o.count, o.value)));
    if (o.count == 2 && same_temp(o.value[0], o.value[1])) {
        bool known = false;
        IRExpr* result = same_operands(o, known);
        if (known) return result;
    }
    return apply_rule(o);
}

IRExpr* Undefined::unop(IROp op, IRExpr* a, IRExpr* sa) { return apply({op, {}, 1, Ity_INVALID, {a}, {sa}}); }

IRExpr* Undefined::binop(IROp op, IRExpr* a, IRExpr* b, IRExpr* sa, IRExpr* sb) {
    return apply({op, {}, 2, Ity_INVALID, {a, b}, {sa, sb}});
}

IRExpr* Undefined::triop(IROp op, IRExpr* const a[3], IRExpr* const s[3]) {
    return apply({op, {}, 3, Ity_INVALID, {a[0], a[1], a[2]}, {s[0], s[1], s[2]}});
}

IRExpr* Undefined::qop(IROp op, IRExpr* const a[4], IRExpr* const s[4]) {
    return apply({op, {}, 4, Ity_INVALID, {a[0], a[1], a[2], a[3]}, {s[0], s[1], s[2], s[3]}});
}

//   (condition ? s_true : s_false) | (s_condition ? s_true | s_false | (if_true ^ if_false) : 0)
IRExpr* Undefined::ite(IRExpr* condition, IRExpr* if_true, IRExpr* if_false, IRExpr* s_condition,
                       IRExpr* s_true, IRExpr* s_false) {
    s_condition = without_zero(s_condition);
    s_true = without_zero(s_true);
    s_false = without_zero(s_false);
    const IRType type = shadow_type(emit_.type_of(if_true));
    IRExpr* chosen = nullptr;
    if (s_true != nullptr || s_false != nullptr) {
        if (type == Ity_I32 || type == Ity_I64 || type == Ity_V128) {
            chosen = emit_.ite(condition, or_zero(s_true, type), or_zero(s_false, type));
        } else {
            ValueWords t = split_or_zero(s_true, type), f = split_or_zero(s_false, type);
            for (unsigned i = 0; i < t.count; ++i) t.word[i] = emit_.ite(condition, t.word[i], f.word[i]);
            chosen = join(type, t);
        }
    }
    if (s_condition == nullptr || same_temp(if_true, if_false)) return chosen;
    IRExpr* either = any_to(type, s_condition);
    IRExpr* bits_true = bits_of_value(if_true);
    if (bits_true != nullptr) {
        IRExpr* differ = bit_xor(bits_true, bits_of_value(if_false));
        either = bit_and(either, merge(merge(s_true, s_false), differ));
    }
    return merge(chosen, either);
}

IRExpr* Undefined::ccall(const IRCallee* callee, IRType result, IRExpr* const* arguments,
                         IRExpr* const* shadows, unsigned count) {
    IRExpr* word = nullptr;
    for (unsigned i = 0; i < count; ++i) {
        const bool ignored = i < 32 && (callee->mcx_mask >> i & 1) != 0;
        if (ignored || is_IRExpr_VECRET_or_GSPTR(arguments[i])) continue;
        if (IRExpr* shadow = without_zero(shadows[i])) word = merge(word, collapse(shadow));
    }
    return word != nullptr ? spread(shadow_type(result), word) : nullptr;
}

}  // namespace memspy::instrument
