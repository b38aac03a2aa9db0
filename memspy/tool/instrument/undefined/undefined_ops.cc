// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/undefined/undefined_ops.h"

namespace memspy::instrument {

// Scalar floating point, conversions, division, decimal floating point, ciphers and hashes follow Whole and
// are not listed. CasCmp* compares two copies of one value to find out whether a compare-and-swap took place;
// uses of undefined values are reported for the operands of the swap instead.
// clang-format off
OpRule rule_of(IROp op) {
    switch (op) {
    case Iop_And8: case Iop_And16: case Iop_And32: case Iop_And64: case Iop_And1: case Iop_AndV128:
    case Iop_AndV256:
        return {UndefinedRule::And};
    case Iop_Or8: case Iop_Or16: case Iop_Or32: case Iop_Or64: case Iop_Or1: case Iop_OrV128:
    case Iop_OrV256:
        return {UndefinedRule::Or};
    case Iop_Xor8: case Iop_Xor16: case Iop_Xor32: case Iop_Xor64: case Iop_XorV128: case Iop_XorV256:
        return {UndefinedRule::Xor};
    case Iop_Not8: case Iop_Not16: case Iop_Not32: case Iop_Not64: case Iop_Not1: case Iop_NegF64:
    case Iop_NegF32: case Iop_NegF16: case Iop_Neg32Fx2: case Iop_Neg16Fx8: case Iop_Neg32Fx4:
    case Iop_Neg64Fx2: case Iop_NotV128: case Iop_NotV256:
        return {UndefinedRule::Same};
    case Iop_AbsF16: case Iop_Abs16Fx8:
        return {UndefinedRule::ClearSign, 16};
    case Iop_AbsF32: case Iop_Abs32Fx2: case Iop_Abs32Fx4:
        return {UndefinedRule::ClearSign, 32};
    case Iop_AbsF64: case Iop_Abs64Fx2:
        return {UndefinedRule::ClearSign, 64};
    case Iop_Add8: case Iop_Add8x4: case Iop_Add8x8: case Iop_Add8x16: case Iop_Add8x32:
        return {UndefinedRule::Add, 8};
    case Iop_Add16: case Iop_Add16x2: case Iop_Add16x4: case Iop_Add16x8: case Iop_Add16x16:
        return {UndefinedRule::Add, 16};
    case Iop_Add32: case Iop_Add32x2: case Iop_Add32x4: case Iop_Add32x8:
        return {UndefinedRule::Add, 32};
    case Iop_Add64: case Iop_Add64x2: case Iop_Add64x4:
        return {UndefinedRule::Add, 64};
    case Iop_Sub8: case Iop_Sub8x4: case Iop_Sub8x8: case Iop_Sub8x16: case Iop_Sub8x32:
        return {UndefinedRule::Sub, 8};
    case Iop_Sub16: case Iop_Sub16x2: case Iop_Sub16x4: case Iop_Sub16x8: case Iop_Sub16x16:
        return {UndefinedRule::Sub, 16};
    case Iop_Sub32: case Iop_Sub32x2: case Iop_Sub32x4: case Iop_Sub32x8:
        return {UndefinedRule::Sub, 32};
    case Iop_Sub64: case Iop_Sub64x2: case Iop_Sub64x4:
        return {UndefinedRule::Sub, 64};
    case Iop_Mul8: case Iop_Mul8x8: case Iop_Mul8x16:
        return {UndefinedRule::Multiply, 8};
    case Iop_Mul16: case Iop_Mul16x4: case Iop_Mul16x8: case Iop_Mul16x16:
        return {UndefinedRule::Multiply, 16};
    case Iop_Mul32: case Iop_Mul32x2: case Iop_Mul32x4: case Iop_Mul32x8:
        return {UndefinedRule::Multiply, 32};
    case Iop_Mul64:
        return {UndefinedRule::Multiply, 64};
    case Iop_Shl8: case Iop_Shl16: case Iop_Shl32: case Iop_Shl64: case Iop_Shr8: case Iop_Shr16:
    case Iop_Shr32: case Iop_Shr64: case Iop_Sar8: case Iop_Sar16: case Iop_Sar32: case Iop_Sar64:
    case Iop_ShlN8x8: case Iop_ShlN16x4: case Iop_ShlN32x2: case Iop_ShrN8x8: case Iop_ShrN16x4:
    case Iop_ShrN32x2: case Iop_SarN8x8: case Iop_SarN16x4: case Iop_SarN32x2: case Iop_GetElem8x8:
    case Iop_GetElem16x4: case Iop_GetElem32x2: case Iop_ShlV128: case Iop_ShrV128: case Iop_SarV128:
    case Iop_ShlN8x16: case Iop_ShlN16x8: case Iop_ShlN32x4: case Iop_ShlN64x2: case Iop_ShrN8x16:
    case Iop_ShrN16x8: case Iop_ShrN32x4: case Iop_ShrN64x2: case Iop_SarN8x16: case Iop_SarN16x8:
    case Iop_SarN32x4: case Iop_SarN64x2: case Iop_GetElem8x16: case Iop_GetElem16x8: case Iop_GetElem32x4:
    case Iop_GetElem64x2: case Iop_ShlN16x16: case Iop_ShlN32x8: case Iop_ShlN64x4: case Iop_ShrN16x16:
    case Iop_ShrN32x8: case Iop_ShrN64x4: case Iop_SarN16x16: case Iop_SarN32x8:
        return {UndefinedRule::SteerBy};
    case Iop_CasCmpEQ8: case Iop_CasCmpEQ16: case Iop_CasCmpEQ32: case Iop_CasCmpEQ64: case Iop_CasCmpNE8:
    case Iop_CasCmpNE16: case Iop_CasCmpNE32: case Iop_CasCmpNE64:
        return {UndefinedRule::Defined};
    case Iop_CmpEQ8: case Iop_CmpNE8: case Iop_ExpCmpNE8:
        return {UndefinedRule::Equal, 8};
    case Iop_CmpEQ16: case Iop_CmpNE16: case Iop_ExpCmpNE16:
        return {UndefinedRule::Equal, 16};
    case Iop_CmpEQ32: case Iop_CmpNE32: case Iop_ExpCmpNE32:
        return {UndefinedRule::Equal, 32};
    case Iop_CmpEQ64: case Iop_CmpNE64: case Iop_ExpCmpNE64:
        return {UndefinedRule::Equal, 64};
    case Iop_CmpLT32S:
        return {UndefinedRule::LessSigned, 32};
    case Iop_CmpLT64S:
        return {UndefinedRule::LessSigned, 64};
    case Iop_CmpLE32S:
        return {UndefinedRule::LessEqualSigned, 32};
    case Iop_CmpLE64S:
        return {UndefinedRule::LessEqualSigned, 64};
    case Iop_CmpLT32U:
        return {UndefinedRule::LessUnsigned, 32};
    case Iop_CmpLT64U:
        return {UndefinedRule::LessUnsigned, 64};
    case Iop_CmpLE32U:
        return {UndefinedRule::LessEqualUnsigned, 32};
    case Iop_CmpLE64U:
        return {UndefinedRule::LessEqualUnsigned, 64};
    case Iop_CmpNEZ8:
        return {UndefinedRule::NonZero, 8};
    case Iop_CmpNEZ16:
        return {UndefinedRule::NonZero, 16};
    case Iop_CmpNEZ32:
        return {UndefinedRule::NonZero, 32};
    case Iop_CmpNEZ64:
        return {UndefinedRule::NonZero, 64};
    case Iop_CmpwNEZ32:
        return {UndefinedRule::NonZeroWord, 32};
    case Iop_CmpwNEZ64:
        return {UndefinedRule::NonZeroWord, 64};
    case Iop_Left8:
        return {UndefinedRule::Left, 8};
    case Iop_Left16:
        return {UndefinedRule::Left, 16};
    case Iop_Left32:
        return {UndefinedRule::Left, 32};
    case Iop_Left64:
        return {UndefinedRule::Left, 64};
    case Iop_Max8Ux8: case Iop_Max8Ux16: case Iop_Max8Ux32:
        return {UndefinedRule::MaxUnsigned, 8};
    case Iop_Max16Ux4: case Iop_Max16Ux8: case Iop_Max16Ux16:
        return {UndefinedRule::MaxUnsigned, 16};
    case Iop_Max32U: case Iop_Max32Ux2: case Iop_Max32Ux4: case Iop_Max32Ux8:
        return {UndefinedRule::MaxUnsigned, 32};
    case Iop_Max64Ux2:
        return {UndefinedRule::MaxUnsigned, 64};
    case Iop_MullS8:
        return {UndefinedRule::MultiplyWideSigned, 8};
    case Iop_MullS16:
        return {UndefinedRule::MultiplyWideSigned, 16};
    case Iop_MullS32:
        return {UndefinedRule::MultiplyWideSigned, 32};
    case Iop_MullS64:
        return {UndefinedRule::MultiplyWideSigned, 64};
    case Iop_MullU8:
        return {UndefinedRule::MultiplyWideUnsigned, 8};
    case Iop_MullU16:
        return {UndefinedRule::MultiplyWideUnsigned, 16};
    case Iop_MullU32:
        return {UndefinedRule::MultiplyWideUnsigned, 32};
    case Iop_MullU64:
        return {UndefinedRule::MultiplyWideUnsigned, 64};
#if MEMSPY_VEX_HAS_PARTIAL_COUNTS
    case Iop_Clz32:
        return {UndefinedRule::LeadingZeros, 32};
    case Iop_Clz64:
        return {UndefinedRule::LeadingZeros, 64};
    case Iop_Ctz32:
        return {UndefinedRule::TrailingZeros, 32};
    case Iop_Ctz64:
        return {UndefinedRule::TrailingZeros, 64};
#endif
    case Iop_ClzNat32:
        return {UndefinedRule::LeadingZeros, 32};
    case Iop_ClzNat64:
        return {UndefinedRule::LeadingZeros, 64};
    case Iop_CtzNat32:
        return {UndefinedRule::TrailingZeros, 32};
    case Iop_CtzNat64:
        return {UndefinedRule::TrailingZeros, 64};
    case Iop_PopCount32:
        return {UndefinedRule::CountOnes, 32};
    case Iop_PopCount64:
        return {UndefinedRule::CountOnes, 64};
    case Iop_8Uto16: case Iop_8Uto32: case Iop_8Uto64: case Iop_16Uto32: case Iop_16Uto64: case Iop_32Uto64:
    case Iop_8Sto16: case Iop_8Sto32: case Iop_8Sto64: case Iop_16Sto32: case Iop_16Sto64: case Iop_32Sto64:
    case Iop_64to8: case Iop_32to8: case Iop_64to16: case Iop_16to8: case Iop_16HIto8: case Iop_8HLto16:
    case Iop_32to16: case Iop_32HIto16: case Iop_16HLto32: case Iop_64to32: case Iop_64HIto32:
    case Iop_32HLto64: case Iop_128to64: case Iop_128HIto64: case Iop_64HLto128: case Iop_32to1:
    case Iop_64to1: case Iop_1Uto8: case Iop_1Uto32: case Iop_1Uto64: case Iop_1Sto8: case Iop_1Sto16:
    case Iop_1Sto32: case Iop_1Sto64: case Iop_Reverse8sIn32_x1: case Iop_NarrowBin16to8x8:
    case Iop_NarrowBin32to16x4: case Iop_InterleaveHI8x8: case Iop_InterleaveHI16x4:
    case Iop_InterleaveHI32x2: case Iop_InterleaveLO8x8: case Iop_InterleaveLO16x4:
    case Iop_InterleaveLO32x2: case Iop_InterleaveOddLanes8x8: case Iop_InterleaveEvenLanes8x8:
    case Iop_InterleaveOddLanes16x4: case Iop_InterleaveEvenLanes16x4: case Iop_CatOddLanes8x8:
    case Iop_CatOddLanes16x4: case Iop_CatEvenLanes8x8: case Iop_CatEvenLanes16x4: case Iop_Dup8x8:
    case Iop_Dup16x4: case Iop_Dup32x2: case Iop_Reverse8sIn16_x4: case Iop_Reverse8sIn32_x2:
    case Iop_Reverse16sIn32_x2: case Iop_Reverse8sIn64_x1: case Iop_Reverse16sIn64_x1:
    case Iop_Reverse32sIn64_x1: case Iop_GetMSBs8x8: case Iop_V128to64: case Iop_V128HIto64:
    case Iop_64HLtoV128: case Iop_64UtoV128: case Iop_SetV128lo64: case Iop_ZeroHI64ofV128:
    case Iop_ZeroHI96ofV128: case Iop_ZeroHI112ofV128: case Iop_ZeroHI120ofV128: case Iop_32UtoV128:
    case Iop_V128to32: case Iop_SetV128lo32: case Iop_PwBitMtxXpose64x2: case Iop_NarrowBin16to8x16:
    case Iop_NarrowBin32to16x8: case Iop_NarrowBin64to32x4: case Iop_NarrowUn16to8x8:
    case Iop_NarrowUn32to16x4: case Iop_NarrowUn64to32x2: case Iop_Widen8Uto16x8: case Iop_Widen16Uto32x4:
    case Iop_Widen32Uto64x2: case Iop_Widen8Sto16x8: case Iop_Widen16Sto32x4: case Iop_Widen32Sto64x2:
    case Iop_InterleaveHI8x16: case Iop_InterleaveHI16x8: case Iop_InterleaveHI32x4:
    case Iop_InterleaveHI64x2: case Iop_InterleaveLO8x16: case Iop_InterleaveLO16x8:
    case Iop_InterleaveLO32x4: case Iop_InterleaveLO64x2: case Iop_InterleaveOddLanes8x16:
    case Iop_InterleaveEvenLanes8x16: case Iop_InterleaveOddLanes16x8: case Iop_InterleaveEvenLanes16x8:
    case Iop_InterleaveOddLanes32x4: case Iop_InterleaveEvenLanes32x4: case Iop_PackOddLanes8x16:
    case Iop_PackEvenLanes8x16: case Iop_PackOddLanes16x8: case Iop_PackEvenLanes16x8:
    case Iop_PackOddLanes32x4: case Iop_PackEvenLanes32x4: case Iop_CatOddLanes8x16:
    case Iop_CatOddLanes16x8: case Iop_CatOddLanes32x4: case Iop_CatEvenLanes8x16:
    case Iop_CatEvenLanes16x8: case Iop_CatEvenLanes32x4: case Iop_Dup8x16: case Iop_Dup16x8:
    case Iop_Dup32x4: case Iop_Reverse8sIn16_x8: case Iop_Reverse8sIn32_x4: case Iop_Reverse16sIn32_x4:
    case Iop_Reverse8sIn64_x2: case Iop_Reverse16sIn64_x2: case Iop_Reverse32sIn64_x2:
    case Iop_Reverse1sIn8_x16: case Iop_GetMSBs8x16: case Iop_V256to64_0: case Iop_V256to64_1:
    case Iop_V256to64_2: case Iop_V256to64_3: case Iop_64x4toV256: case Iop_V256toV128_0:
    case Iop_V256toV128_1: case Iop_V128HLtoV256:
        return {UndefinedRule::Steer};
    case Iop_SetElem8x8: case Iop_SetElem16x4: case Iop_SetElem32x2: case Iop_SetElem8x16:
    case Iop_SetElem16x8: case Iop_SetElem32x4: case Iop_SetElem64x2:
        return {UndefinedRule::SetElement};
    case Iop_Slice64: case Iop_SliceV128:
        return {UndefinedRule::Slice};
    case Iop_Perm8x16x2:
        return {UndefinedRule::PermuteTwo, 8};
    case Iop_ReinterpV128asI128: case Iop_ReinterpI128asV128: case Iop_ReinterpF128asI128:
    case Iop_ReinterpI128asF128: case Iop_ReinterpF64asI64: case Iop_ReinterpI64asF64:
    case Iop_ReinterpF32asI32: case Iop_ReinterpI32asF32: case Iop_ReinterpI64asD64:
    case Iop_ReinterpD64asI64:
        return {UndefinedRule::Reinterpret};
    case Iop_Shl8x8: case Iop_Shr8x8: case Iop_Sar8x8: case Iop_Sal8x8: case Iop_Perm8x8:
    case Iop_PermOrZero8x8: case Iop_Shl8x16: case Iop_Shr8x16: case Iop_Sar8x16: case Iop_Sal8x16:
    case Iop_Rol8x16: case Iop_Perm8x16: case Iop_PermOrZero8x16:
        return {UndefinedRule::SteerByLane, 8};
    case Iop_Shl16x4: case Iop_Shr16x4: case Iop_Sar16x4: case Iop_Sal16x4: case Iop_Shl16x8:
    case Iop_Shr16x8: case Iop_Sar16x8: case Iop_Sal16x8: case Iop_Rol16x8:
        return {UndefinedRule::SteerByLane, 16};
    case Iop_Shl32x2: case Iop_Shr32x2: case Iop_Sar32x2: case Iop_Sal32x2: case Iop_Shl32x4:
    case Iop_Shr32x4: case Iop_Sar32x4: case Iop_Sal32x4: case Iop_Rol32x4: case Iop_Perm32x4:
    case Iop_Perm32x8:
        return {UndefinedRule::SteerByLane, 32};
    case Iop_Sal64x1: case Iop_Shl64x2: case Iop_Shr64x2: case Iop_Sar64x2: case Iop_Sal64x2:
    case Iop_Rol64x2:
        return {UndefinedRule::SteerByLane, 64};
    case Iop_Sh8Sx16: case Iop_Sh8Ux16:
        return {UndefinedRule::SteerByLaneByte, 8};
    case Iop_Sh16Sx8: case Iop_Sh16Ux8:
        return {UndefinedRule::SteerByLaneByte, 16};
    case Iop_Sh32Sx4: case Iop_Sh32Ux4:
        return {UndefinedRule::SteerByLaneByte, 32};
    case Iop_Sh64Sx2: case Iop_Sh64Ux2:
        return {UndefinedRule::SteerByLaneByte, 64};
    case Iop_CmpEQ8x8: case Iop_CmpEQ8x16: case Iop_CmpEQ8x32:
        return {UndefinedRule::LaneEqual, 8};
    case Iop_CmpEQ16x4: case Iop_CmpEQ16x8: case Iop_CmpEQ16x16:
        return {UndefinedRule::LaneEqual, 16};
    case Iop_CmpEQ32x2: case Iop_CmpEQ32x4: case Iop_CmpEQ32x8:
        return {UndefinedRule::LaneEqual, 32};
    case Iop_CmpEQ64x2: case Iop_CmpEQ64x4:
        return {UndefinedRule::LaneEqual, 64};
    case Iop_CmpGT8Sx8: case Iop_CmpGT8Sx16: case Iop_CmpGT8Sx32:
        return {UndefinedRule::LaneGreaterSigned, 8};
    case Iop_CmpGT16Sx4: case Iop_CmpGT16Sx8: case Iop_CmpGT16Sx16:
        return {UndefinedRule::LaneGreaterSigned, 16};
    case Iop_CmpGT32Sx2: case Iop_CmpGT32Sx4: case Iop_CmpGT32Sx8:
        return {UndefinedRule::LaneGreaterSigned, 32};
    case Iop_CmpGT64Sx2: case Iop_CmpGT64Sx4:
        return {UndefinedRule::LaneGreaterSigned, 64};
    case Iop_CmpGT8Ux8: case Iop_CmpGT8Ux16:
        return {UndefinedRule::LaneGreaterUnsigned, 8};
    case Iop_CmpGT16Ux4: case Iop_CmpGT16Ux8:
        return {UndefinedRule::LaneGreaterUnsigned, 16};
    case Iop_CmpGT32Ux2: case Iop_CmpGT32Ux4:
        return {UndefinedRule::LaneGreaterUnsigned, 32};
    case Iop_CmpGT64Ux2:
        return {UndefinedRule::LaneGreaterUnsigned, 64};
    case Iop_CmpNEZ8x4: case Iop_CmpNEZ8x8: case Iop_CmpNEZ8x16: case Iop_CmpNEZ8x32:
        return {UndefinedRule::LaneNonZero, 8};
    case Iop_CmpNEZ16x2: case Iop_CmpNEZ16x4: case Iop_CmpNEZ16x8: case Iop_CmpNEZ16x16:
        return {UndefinedRule::LaneNonZero, 16};
    case Iop_CmpNEZ32x2: case Iop_CmpNEZ32x4: case Iop_CmpNEZ32x8:
        return {UndefinedRule::LaneNonZero, 32};
    case Iop_CmpNEZ64x2: case Iop_CmpNEZ64x4:
        return {UndefinedRule::LaneNonZero, 64};
    case Iop_Max8Sx8: case Iop_Max8Sx16: case Iop_Max8Sx32:
        return {UndefinedRule::MaxSigned, 8};
    case Iop_Max16Sx4: case Iop_Max16Sx8: case Iop_Max16Sx16:
        return {UndefinedRule::MaxSigned, 16};
    case Iop_Max32Sx2: case Iop_Max32Sx4: case Iop_Max32Sx8:
        return {UndefinedRule::MaxSigned, 32};
    case Iop_Max64Sx2:
        return {UndefinedRule::MaxSigned, 64};
    case Iop_Min8Sx8: case Iop_Min8Sx16: case Iop_Min8Sx32:
        return {UndefinedRule::MinSigned, 8};
    case Iop_Min16Sx4: case Iop_Min16Sx8: case Iop_Min16Sx16:
        return {UndefinedRule::MinSigned, 16};
    case Iop_Min32Sx2: case Iop_Min32Sx4: case Iop_Min32Sx8:
        return {UndefinedRule::MinSigned, 32};
    case Iop_Min64Sx2:
        return {UndefinedRule::MinSigned, 64};
    case Iop_Min8Ux8: case Iop_Min8Ux16: case Iop_Min8Ux32:
        return {UndefinedRule::MinUnsigned, 8};
    case Iop_Min16Ux4: case Iop_Min16Ux8: case Iop_Min16Ux16:
        return {UndefinedRule::MinUnsigned, 16};
    case Iop_Min32Ux2: case Iop_Min32Ux4: case Iop_Min32Ux8:
        return {UndefinedRule::MinUnsigned, 32};
    case Iop_Min64Ux2:
        return {UndefinedRule::MinUnsigned, 64};
    case Iop_QAdd8Sx4: case Iop_QAdd8Ux4: case Iop_QSub8Sx4: case Iop_QSub8Ux4: case Iop_HAdd8Ux4:
    case Iop_HAdd8Sx4: case Iop_HSub8Ux4: case Iop_HSub8Sx4: case Iop_QAdd8Ux8: case Iop_QAdd8Sx8:
    case Iop_QSub8Ux8: case Iop_QSub8Sx8: case Iop_Abs8x8: case Iop_PolynomialMul8x8: case Iop_Avg8Ux8:
    case Iop_Cnt8x8: case Iop_Clz8x8: case Iop_Cls8x8: case Iop_Ctz8x16: case Iop_QShl8x8: case Iop_QSal8x8:
    case Iop_QShlNsatSU8x8: case Iop_QShlNsatUU8x8: case Iop_QShlNsatSS8x8: case Iop_QAdd8Ux16:
    case Iop_QAdd8Sx16: case Iop_QAddExtUSsatSS8x16: case Iop_QAddExtSUsatUU8x16: case Iop_QSub8Ux16:
    case Iop_QSub8Sx16: case Iop_MulHi8Ux16: case Iop_MulHi8Sx16: case Iop_PolynomialMul8x16:
    case Iop_Abs8x16: case Iop_Avg8Ux16: case Iop_Avg8Sx16: case Iop_Cnt8x16: case Iop_Clz8x16:
    case Iop_Cls8x16: case Iop_QShl8x16: case Iop_QSal8x16: case Iop_QShlNsatSU8x16:
    case Iop_QShlNsatUU8x16: case Iop_QShlNsatSS8x16: case Iop_Rsh8Sx16: case Iop_Rsh8Ux16:
    case Iop_QAdd8Ux32: case Iop_QAdd8Sx32: case Iop_QSub8Ux32: case Iop_QSub8Sx32: case Iop_Avg8Ux32:
        return {UndefinedRule::Lanes, 8};
    case Iop_QAdd16Sx2: case Iop_QAdd16Ux2: case Iop_QSub16Sx2: case Iop_QSub16Ux2: case Iop_HAdd16Ux2:
    case Iop_HAdd16Sx2: case Iop_HSub16Ux2: case Iop_HSub16Sx2: case Iop_QAdd16Ux4: case Iop_QAdd16Sx4:
    case Iop_PwAddL8Ux8: case Iop_PwAddL8Sx8: case Iop_QSub16Ux4: case Iop_QSub16Sx4: case Iop_Abs16x4:
    case Iop_MulHi16Ux4: case Iop_MulHi16Sx4: case Iop_QDMulHi16Sx4: case Iop_QRDMulHi16Sx4:
    case Iop_Avg16Ux4: case Iop_Clz16x4: case Iop_Cls16x4: case Iop_Ctz16x8: case Iop_QShl16x4:
    case Iop_QSal16x4: case Iop_QShlNsatSU16x4: case Iop_QShlNsatUU16x4: case Iop_QShlNsatSS16x4:
    case Iop_Sqrt16Fx8: case Iop_Add16Fx8: case Iop_Sub16Fx8: case Iop_CmpLT16Fx8: case Iop_CmpLE16Fx8:
    case Iop_CmpEQ16Fx8: case Iop_QAdd16Ux8: case Iop_QAdd16Sx8: case Iop_QAddExtUSsatSS16x8:
    case Iop_QAddExtSUsatUU16x8: case Iop_QSub16Ux8: case Iop_QSub16Sx8: case Iop_MulHi16Ux8:
    case Iop_MulHi16Sx8: case Iop_QDMulHi16Sx8: case Iop_QRDMulHi16Sx8: case Iop_PwAddL8Ux16:
    case Iop_PwAddL8Sx16: case Iop_PwExtUSMulQAdd8x16: case Iop_Abs16x8: case Iop_Avg16Ux8:
    case Iop_Avg16Sx8: case Iop_Clz16x8: case Iop_Cls16x8: case Iop_QShl16x8: case Iop_QSal16x8:
    case Iop_QShlNsatSU16x8: case Iop_QShlNsatUU16x8: case Iop_QShlNsatSS16x8: case Iop_Rsh16Sx8:
    case Iop_Rsh16Ux8: case Iop_MulHi16Ux16: case Iop_MulHi16Sx16: case Iop_QAdd16Ux16: case Iop_QAdd16Sx16:
    case Iop_QSub16Ux16: case Iop_QSub16Sx16: case Iop_Avg16Ux16:
        return {UndefinedRule::Lanes, 16};
    case Iop_I32UtoF32x2_DEP: case Iop_I32StoF32x2_DEP: case Iop_F32toI32Ux2_RZ: case Iop_F32toI32Sx2_RZ:
    case Iop_F32ToFixed32Ux2_RZ: case Iop_F32ToFixed32Sx2_RZ: case Iop_Fixed32UToF32x2_RN:
    case Iop_Fixed32SToF32x2_RN: case Iop_Max32Fx2: case Iop_Min32Fx2: case Iop_CmpEQ32Fx2:
    case Iop_CmpGT32Fx2: case Iop_CmpGE32Fx2: case Iop_RecipEst32Fx2: case Iop_RecipStep32Fx2:
    case Iop_RSqrtEst32Fx2: case Iop_RSqrtStep32Fx2: case Iop_QAdd32Ux2: case Iop_QAdd32Sx2:
    case Iop_PwAddL16Ux4: case Iop_PwAddL16Sx4: case Iop_QSub32Ux2: case Iop_QSub32Sx2: case Iop_Abs32x2:
    case Iop_Mul32Fx2: case Iop_QDMulHi32Sx2: case Iop_QRDMulHi32Sx2: case Iop_Clz32x2: case Iop_Cls32x2:
    case Iop_Ctz32x4: case Iop_QShl32x2: case Iop_QSal32x2: case Iop_QShlNsatSU32x2:
    case Iop_QShlNsatUU32x2: case Iop_QShlNsatSS32x2: case Iop_RecipEst32Ux2: case Iop_RSqrtEst32Ux2:
    case Iop_Add32Fx4: case Iop_Sub32Fx4: case Iop_Mul32Fx4: case Iop_Div32Fx4: case Iop_Max32Fx4:
    case Iop_Min32Fx4: case Iop_Add32Fx2: case Iop_Sub32Fx2: case Iop_CmpEQ32Fx4: case Iop_CmpLT32Fx4:
    case Iop_CmpLE32Fx4: case Iop_CmpUN32Fx4: case Iop_CmpGT32Fx4: case Iop_CmpGE32Fx4: case Iop_Sqrt32Fx4:
    case Iop_RecipEst32Fx4: case Iop_RecipStep32Fx4: case Iop_RSqrtEst32Fx4: case Iop_Scale2_32Fx4:
    case Iop_Log2_32Fx4: case Iop_Exp2_32Fx4: case Iop_RSqrtStep32Fx4: case Iop_I32UtoF32x4_DEP:
    case Iop_I32StoF32x4_DEP: case Iop_I32StoF32x4: case Iop_F32toI32Sx4: case Iop_F32toI32Ux4_RZ:
    case Iop_F32toI32Sx4_RZ: case Iop_QF32toI32Ux4_RZ: case Iop_QF32toI32Sx4_RZ: case Iop_RoundF32x4_RM:
    case Iop_RoundF32x4_RP: case Iop_RoundF32x4_RN: case Iop_RoundF32x4_RZ: case Iop_F32ToFixed32Ux4_RZ:
    case Iop_F32ToFixed32Sx4_RZ: case Iop_Fixed32UToF32x4_RN: case Iop_Fixed32SToF32x4_RN:
    case Iop_QAdd32Ux4: case Iop_QAdd32Sx4: case Iop_QAddExtUSsatSS32x4: case Iop_QAddExtSUsatUU32x4:
    case Iop_QSub32Ux4: case Iop_QSub32Sx4: case Iop_MulHi32Ux4: case Iop_MulHi32Sx4: case Iop_QDMulHi32Sx4:
    case Iop_QRDMulHi32Sx4: case Iop_PwAddL16Ux8: case Iop_PwAddL16Sx8: case Iop_Abs32x4: case Iop_Avg32Ux4:
    case Iop_Avg32Sx4: case Iop_Clz32x4: case Iop_Cls32x4: case Iop_QShl32x4: case Iop_QSal32x4:
    case Iop_QShlNsatSU32x4: case Iop_QShlNsatUU32x4: case Iop_QShlNsatSS32x4: case Iop_Rsh32Sx4:
    case Iop_Rsh32Ux4: case Iop_RecipEst32Ux4: case Iop_RSqrtEst32Ux4: case Iop_Add32Fx8: case Iop_Sub32Fx8:
    case Iop_Mul32Fx8: case Iop_Div32Fx8: case Iop_I32StoF32x8: case Iop_F32toI32Sx8: case Iop_Sqrt32Fx8:
    case Iop_RSqrtEst32Fx8: case Iop_RecipEst32Fx8: case Iop_Max32Fx8: case Iop_Min32Fx8:
        return {UndefinedRule::Lanes, 32};
    case Iop_QAdd64Ux1: case Iop_QAdd64Sx1: case Iop_PwAddL32Ux2: case Iop_PwAddL32Sx2: case Iop_QSub64Ux1:
    case Iop_QSub64Sx1: case Iop_Clz64x2: case Iop_Ctz64x2: case Iop_QShl64x1: case Iop_QSal64x1:
    case Iop_QShlNsatSU64x1: case Iop_QShlNsatUU64x1: case Iop_QShlNsatSS64x1: case Iop_Add64Fx2:
    case Iop_Sub64Fx2: case Iop_Mul64Fx2: case Iop_Div64Fx2: case Iop_Max64Fx2: case Iop_Min64Fx2:
    case Iop_CmpEQ64Fx2: case Iop_CmpLT64Fx2: case Iop_CmpLE64Fx2: case Iop_CmpUN64Fx2: case Iop_Sqrt64Fx2:
    case Iop_Scale2_64Fx2: case Iop_Log2_64Fx2: case Iop_RecipEst64Fx2: case Iop_RecipStep64Fx2:
    case Iop_RSqrtEst64Fx2: case Iop_RSqrtStep64Fx2: case Iop_QAdd64Ux2: case Iop_QAdd64Sx2:
    case Iop_QAddExtUSsatSS64x2: case Iop_QAddExtSUsatUU64x2: case Iop_QSub64Ux2: case Iop_QSub64Sx2:
    case Iop_PwAddL32Ux4: case Iop_PwAddL32Sx4: case Iop_Abs64x2: case Iop_Avg64Ux2: case Iop_Avg64Sx2:
    case Iop_QShl64x2: case Iop_QSal64x2: case Iop_QShlNsatSU64x2: case Iop_QShlNsatUU64x2:
    case Iop_QShlNsatSS64x2: case Iop_Rsh64Sx2: case Iop_Rsh64Ux2: case Iop_Add64Fx4: case Iop_Sub64Fx4:
    case Iop_Mul64Fx4: case Iop_Div64Fx4: case Iop_Sqrt64Fx4: case Iop_Max64Fx4: case Iop_Min64Fx4:
        return {UndefinedRule::Lanes, 64};
    case Iop_Add32F0x4: case Iop_Sub32F0x4: case Iop_Mul32F0x4: case Iop_Div32F0x4: case Iop_Max32F0x4:
    case Iop_Min32F0x4: case Iop_CmpEQ32F0x4: case Iop_CmpLT32F0x4: case Iop_CmpLE32F0x4:
    case Iop_CmpUN32F0x4: case Iop_RecipEst32F0x4: case Iop_Sqrt32F0x4: case Iop_RSqrtEst32F0x4:
        return {UndefinedRule::LowLane, 32};
    case Iop_Add64F0x2: case Iop_Sub64F0x2: case Iop_Mul64F0x2: case Iop_Div64F0x2: case Iop_Max64F0x2:
    case Iop_Min64F0x2: case Iop_CmpEQ64F0x2: case Iop_CmpLT64F0x2: case Iop_CmpLE64F0x2:
    case Iop_CmpUN64F0x2: case Iop_Sqrt64F0x2:
        return {UndefinedRule::LowLane, 64};
    case Iop_PwAdd8x8: case Iop_PwMax8Sx8: case Iop_PwMax8Ux8: case Iop_PwMin8Sx8: case Iop_PwMin8Ux8:
    case Iop_QNarrowBin16Sto8Ux8: case Iop_QNarrowBin16Sto8Sx8: case Iop_PwAdd8x16:
    case Iop_QNarrowBin16Sto8Ux16: case Iop_QNarrowBin16Sto8Sx16: case Iop_QNarrowBin16Uto8Ux16:
    case Iop_QNarrowUn16Sto8Sx8: case Iop_QNarrowUn16Sto8Ux8: case Iop_QNarrowUn16Uto8Ux8:
        return {UndefinedRule::NarrowLanes, 16};
    case Iop_PwAdd16x4: case Iop_PwMax16Sx4: case Iop_PwMax16Ux4: case Iop_PwMin16Sx4: case Iop_PwMin16Ux4:
    case Iop_QNarrowBin32Sto16Sx4: case Iop_F32toF16x4_DEP: case Iop_F32toF16x4: case Iop_PwAdd16x8:
    case Iop_QNarrowBin32Sto16Ux8: case Iop_QNarrowBin32Sto16Sx8: case Iop_QNarrowBin32Uto16Ux8:
    case Iop_QNarrowUn32Sto16Sx4: case Iop_QNarrowUn32Sto16Ux4: case Iop_QNarrowUn32Uto16Ux4:
    case Iop_F32toF16x8:
        return {UndefinedRule::NarrowLanes, 32};
    case Iop_PwMax32Fx2: case Iop_PwMin32Fx2: case Iop_PwAdd32x2: case Iop_PwMax32Sx2: case Iop_PwMax32Ux2:
    case Iop_PwMin32Sx2: case Iop_PwMin32Ux2: case Iop_PwMax32Fx4: case Iop_PwMin32Fx4: case Iop_PwAdd32x4:
    case Iop_PwAdd32Fx2: case Iop_QNarrowBin64Sto32Sx4: case Iop_QNarrowBin64Uto32Ux4:
    case Iop_QNarrowUn64Sto32Sx2: case Iop_QNarrowUn64Sto32Ux2: case Iop_QNarrowUn64Uto32Ux2:
        return {UndefinedRule::NarrowLanes, 64};
    case Iop_Mull8Ux8: case Iop_Mull8Sx8: case Iop_PolynomialMull8x8:
        return {UndefinedRule::WidenLanes, 8};
    case Iop_F16toF32x4: case Iop_Mull16Ux4: case Iop_Mull16Sx4: case Iop_QDMull16Sx4: case Iop_F16toF32x8:
        return {UndefinedRule::WidenLanes, 16};
    case Iop_Mull32Ux2: case Iop_Mull32Sx2: case Iop_QDMull32Sx2:
        return {UndefinedRule::WidenLanes, 32};
    case Iop_MullEven8Ux16: case Iop_MullEven8Sx16:
        return {UndefinedRule::EvenLanes, 8};
    case Iop_MullEven16Ux8: case Iop_MullEven16Sx8:
        return {UndefinedRule::EvenLanes, 16};
    case Iop_MullEven32Ux4: case Iop_MullEven32Sx4:
        return {UndefinedRule::EvenLanes, 32};
    case Iop_QandQShrNnarrow16Uto8Ux8: case Iop_QandQSarNnarrow16Sto8Sx8: case Iop_QandQSarNnarrow16Sto8Ux8:
    case Iop_QandQRShrNnarrow16Uto8Ux8: case Iop_QandQRSarNnarrow16Sto8Sx8:
    case Iop_QandQRSarNnarrow16Sto8Ux8:
        return {UndefinedRule::NarrowLanesAndFlag, 16};
    case Iop_QandQShrNnarrow32Uto16Ux4: case Iop_QandQSarNnarrow32Sto16Sx4:
    case Iop_QandQSarNnarrow32Sto16Ux4: case Iop_QandQRShrNnarrow32Uto16Ux4:
    case Iop_QandQRSarNnarrow32Sto16Sx4: case Iop_QandQRSarNnarrow32Sto16Ux4:
        return {UndefinedRule::NarrowLanesAndFlag, 32};
    case Iop_QandQShrNnarrow64Uto32Ux2: case Iop_QandQSarNnarrow64Sto32Sx2:
    case Iop_QandQSarNnarrow64Sto32Ux2: case Iop_QandQRShrNnarrow64Uto32Ux2:
    case Iop_QandQRSarNnarrow64Sto32Sx2: case Iop_QandQRSarNnarrow64Sto32Ux2:
        return {UndefinedRule::NarrowLanesAndFlag, 64};
    case Iop_QandUQsh8x16: case Iop_QandSQsh8x16: case Iop_QandUQRsh8x16: case Iop_QandSQRsh8x16:
        return {UndefinedRule::LanesAndFlag, 8};
    case Iop_QandUQsh16x8: case Iop_QandSQsh16x8: case Iop_QandUQRsh16x8: case Iop_QandSQRsh16x8:
        return {UndefinedRule::LanesAndFlag, 16};
    case Iop_QandUQsh32x4: case Iop_QandSQsh32x4: case Iop_QandUQRsh32x4: case Iop_QandSQRsh32x4:
        return {UndefinedRule::LanesAndFlag, 32};
    case Iop_QandUQsh64x2: case Iop_QandSQsh64x2: case Iop_QandUQRsh64x2: case Iop_QandSQRsh64x2:
        return {UndefinedRule::LanesAndFlag, 64};
    default:
        return {UndefinedRule::Whole};
    }
}
// clang-format on

}  // namespace memspy::instrument
