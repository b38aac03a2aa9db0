// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls from generated code of helpers that want the running thread's guest state. It is their last argument,
// behind at most two others.
//
// VEX passes it for IRExpr_GSPTR, but for arm64 that is not written. There the pointer is in X21 while
// generated code runs, so a helper has a stub in front of it that hands X21 on.
#pragma once

#include "instrument/emitter.h"

#if defined(VGA_arm64)
// `others`: how many arguments come before the state.
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

// Such a helper works on the shadows, which no statement behind the call reads before the next GET of them; a
// guest-state pointer must come with a declared effect all the same.
inline void declare_effect(IRDirty* call, Int stack_pointer) {
    call->nFxState = 1;
    VG_(memset)(&call->fxState, 0, sizeof(call->fxState));
    call->fxState[0].fx = Ifx_Read;
    call->fxState[0].offset = static_cast<UShort>(stack_pointer);
    call->fxState[0].size = 8;
}

}  // namespace memspy::instrument
