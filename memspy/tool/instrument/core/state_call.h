// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls from generated code of helpers that need the running thread's guest state, as their last argument
// behind at most two others.
//
// VEX passes the state for IRExpr_GSPTR, but does not implement this on arm64. There X21 holds the pointer
// while generated code runs, so each helper has a stub that copies X21 to the argument's register.
#pragma once

#include "instrument/core/emitter.h"

#if defined(VGA_arm64)
// `others`: the number of arguments before the state.
#define MEMSPY_STATE_HELPER(function, others)                                                                \
    asm(".pushsection .text\n\t.type " #function "_stub, %function\n" #function "_stub:\n\tmov x" #others    \
        ", x21\n\tb " #function "\n\t.size " #function "_stub, . - " #function "_stub\n\t.popsection");      \
    extern "C" void function##_stub()
#define MEMSPY_STATE_ENTRY(function) reinterpret_cast<void*>(&function##_stub)
#else
#define MEMSPY_STATE_HELPER(function, others) static_assert(true)
#define MEMSPY_STATE_ENTRY(function) reinterpret_cast<void*>(&function)
#endif

namespace memspy::instrument {

inline IRExpr** arguments_and_state() {
#if defined(VGA_arm64)
    return mkIRExprVec_0();
#else
    return mkIRExprVec_1(IRExpr_GSPTR());
#endif
}

inline IRExpr** arguments_and_state(IRExpr* first) {
#if defined(VGA_arm64)
    return mkIRExprVec_1(first);
#else
    return mkIRExprVec_2(first, IRExpr_GSPTR());
#endif
}

inline IRExpr** arguments_and_state(IRExpr* first, IRExpr* second) {
#if defined(VGA_arm64)
    return mkIRExprVec_2(first, second);
#else
    return mkIRExprVec_3(first, second, IRExpr_GSPTR());
#endif
}

// The helper works on the shadows, which no statement behind the call reads before its next GET. VEX still
// demands a declared effect for a call with a guest-state pointer.
inline void declare_effect(IRDirty* call, Int stack_pointer) {
    call->nFxState = 1;
    VG_(memset)(&call->fxState, 0, sizeof(call->fxState));
    call->fxState[0].fx = Ifx_Read;
    call->fxState[0].offset = static_cast<UShort>(stack_pointer);
    call->fxState[0].size = 8;
}

}  // namespace memspy::instrument
