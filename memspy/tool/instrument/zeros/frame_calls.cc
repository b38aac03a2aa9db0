// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/frame_calls.h"

#include "instrument/core/access.h"
#include "instrument/core/registers.h"

namespace memspy::instrument {
namespace {

FrameHooks hooks;

// What a return adds to the stack pointer.
#if defined(VGA_amd64)
constexpr u64 kReturnPops = 8;
#else
constexpr u64 kReturnPops = 0;
#endif

}  // namespace

void set_frame_hooks(const FrameHooks& given) { hooks = given; }

void FrameCalls::call(const char* name, const void* function, IRExpr** arguments, IRExpr* guard) {
    IRDirty* dirty =
        unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(const_cast<void*>(function)), arguments);
    if (guard != nullptr) dirty->guard = guard;
    // VEX moves no load or store across a call that changes memory.
    dirty->mFx = Ifx_Modify;
    dirty->mAddr = Emitter::pointer(hooks.lowest_end);
    dirty->mSize = 8;
    emit_.add(IRStmt_Dirty(dirty));
}

// entered(frame, GET(sp) + what a return pops)
void FrameCalls::instruction(Address code) {
    instruction_ = code;
    const bool may_enter = may_enter_;
    may_enter_ = false;
    if (!may_enter || hooks.frame_of == nullptr) return;
    FollowedFrame* const frame = hooks.frame_of(code);
    if (frame == nullptr) return;
    IRExpr* end =
        emit_.binop(Iop_Add64, emit_.get(guest_layout().stack_pointer, Ity_I64), Emitter::u64c(kReturnPops));
    call("memspy_frame_entered", reinterpret_cast<const void*>(hooks.entered),
         mkIRExprVec_2(Emitter::pointer(frame), end), nullptr);
}

// A number added to the stack pointer is a frame's own.
void FrameCalls::met(const IRStmt* s) {
    if (s->tag != Ist_Put || s->Ist.Put.offset != guest_layout().stack_pointer ||
        s->Ist.Put.data->tag != Iex_RdTmp)
        return;
    const IRExpr* value = s->Ist.Put.data;
    while (const IRStmt* maker = maker_of(in_, value)) {
        const IRExpr* const made = maker->Ist.WrTmp.data;
        const bool is_sum = made->tag == Iex_Binop &&
                            (made->Iex.Binop.op == Iop_Add64 || made->Iex.Binop.op == Iop_Sub64) &&
                            made->Iex.Binop.arg2->tag == Iex_Const;
        gives_back_ = made->tag == Iex_Load ||
                      (made->tag == Iex_Get && made->Iex.Get.offset != guest_layout().stack_pointer);
        if (!is_sum) return;
        value = made->Iex.Binop.arg1;
    }
}

void FrameCalls::end_of_instruction() {
    if (gives_back_) returns();
    gives_back_ = false;
}

// if (LD(lowest_end) <= GET(sp)) left(GET(sp))
void FrameCalls::returns() {
    if (hooks.frame_of == nullptr || !hooks.is_followed(instruction_)) return;
    IRExpr* end = emit_.get(guest_layout().stack_pointer, Ity_I64);
    IRExpr* any = emit_.binop(Iop_CmpLE64U, emit_.load(Ity_I64, Emitter::pointer(hooks.lowest_end)), end);
    call("memspy_frame_left", reinterpret_cast<const void*>(hooks.left), mkIRExprVec_1(end), any);
}

}  // namespace memspy::instrument
