// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/call_tracking.h"

#include <cstddef>

#include "instrument/core/access.h"
#include "instrument/core/registers.h"
#include "instrument/core/state_call.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/frame_slots.h"
#include "threads/registry.h"

namespace memspy::instrument {

// In the second shadow of the word before the event counter, which holds the address to which the core goes
// when the counter runs out. So the core saves and restores it with the registers.
Int call_top_offset() {
    return static_cast<Int>(offsetof(VexGuestArchState, host_EvC_FAILADDR)) + 2 * guest_layout().state_bytes;
}

namespace {

using threads::CallPath;

// The result of a call instruction's last execution: on `parent` it led to the node `child`.
struct CallSite {
    CallPath child;
    u32 caller;  // of a frame of the child
    CallPath parent;
    Address return_address;
    Address callee;  // 0: not fixed
};
static_assert(offsetof(CallSite, caller) == 4 && offsetof(CallFrame, caller) == 12);

u32 (*number_of_path)(CallPath) = nullptr;

rt::Global<rt::HashMap<CallSite*>> sites;

CallSite* site_of(Address return_address, Address callee) {
    CallSite*& site = (*sites)[return_address];
    if (site == nullptr) {
        site = static_cast<CallSite*>(rt::allocate(sizeof(CallSite), "memspy.call_site"));
        // No path has this number, so the first call always goes to the helper.
        *site = CallSite{.child = CallPath::Root,
                         .caller = 0,
                         .parent = CallPath{~u32{0}},
                         .return_address = return_address,
                         .callee = callee};
    }
    return site;
}

constexpr Address kBottomSlot = ~Address{0};
#if defined(VGA_amd64)
constexpr u64 kReturnPops = 8;  // the return address, from the slot
#else
constexpr u64 kReturnPops = 0;
#endif

const u64* (*next_record)(const u8* state) = nullptr;

CallFrame*& top_of(u8* state) { return *reinterpret_cast<CallFrame**>(state + call_top_offset()); }

CallFrame* pop_dead(CallFrame* top, Address stack_pointer) {
    while (top->slot <= stack_pointer && top->slot != kBottomSlot) --top;
    return top;
}

// Where the frame of a call is. With folded recursion it may be another one of a caller.
void note_slot(const CallFrame& caller, CallPath child, Address slot) {
    if (static_cast<u32>(child) <= static_cast<u32>(caller.path)) {
        const CallFrame* before = &caller;
        while (before->path != child && before->slot != kBottomSlot) --before;
        return threads::frame_recurs(child, caller.path, before->path == child ? before->slot - slot : 0);
    }
    const Address callers_slot =
        caller.slot != kBottomSlot
            ? caller.slot
            : threads::slot_of(threads::thread_of_guest(VG_(get_running_tid)()).serial, CallPath::Root);
    if (callers_slot != 0) threads::frame_is_below(child, callers_slot, slot);
}

}  // namespace

extern "C" {
// Generated code pushed a wrong frame: replaces it.
[[gnu::used]] void memspy_called(CallSite* site, Addr stack_pointer, u8* state) {
    CallFrame* top = pop_dead(top_of(state) - 1, stack_pointer);
    if (site->parent != top->path) {
        site->parent = top->path;
        site->child = threads::child_of(top->path, site->return_address, site->callee);
        site->caller = caller_of(site->child);
    }
    note_slot(*top, site->child, stack_pointer);
    if ((reinterpret_cast<u64>(top + 1) & kFramesEndBit) == 0) ++top;
    *top = CallFrame{.slot = stack_pointer, .path = site->child, .caller = site->caller};
    top_of(state) = top;
}

// Generated code popped a frame other than the one that returned. The slot of the right one is below the
// stack pointer where a return pops the address (amd64), and at the stack pointer otherwise.
[[gnu::used]] void memspy_returned(Addr stack_pointer, u8* state) {
    top_of(state) = pop_dead(top_of(state) + 1, stack_pointer - (kReturnPops != 0));
}

[[gnu::used]] void memspy_frame_grows(Addr from, Addr code, u8* state) {
    const Address to = *reinterpret_cast<const Address*>(state + guest_layout().stack_pointer);
    if (to >= from) return;
    if (threads::keeps_frame_slots()) threads::frame_grows(top_of(state)->path);
    threads::tell_growth({code, to, from, next_record == nullptr ? nullptr : next_record(state)});
}
}
MEMSPY_STATE_HELPER(memspy_called, 2);
MEMSPY_STATE_HELPER(memspy_returned, 1);
MEMSPY_STATE_HELPER(memspy_frame_grows, 2);

namespace {

// Calls f(..., state) if `guard` is true; null: always.
void emit_helper(Emitter& emit, const char* name, void* function, IRExpr** arguments, IRExpr* guard) {
    IRDirty* call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
    if (guard != nullptr) call->guard = guard;
    declare_effect(call, guest_layout().stack_pointer);
    emit.add(IRStmt_Dirty(call));
}

CallFrame* free_frames = nullptr;

// The stack pointer as the jump's target will find it.
IRExpr* stack_pointer_now(Emitter& emit, const CallFinder& calls) {
    IRExpr* written = calls.stack_pointer();
    return written != nullptr ? written : emit.get(guest_layout().stack_pointer, Ity_I64);
}

}  // namespace

void name_callers(u32 (*number_of)(CallPath)) { number_of_path = number_of; }
u32 caller_of(CallPath path) { return number_of_path == nullptr ? 0 : number_of_path(path); }

CallFrame* take_frames() {
    CallFrame* bottom = free_frames;
    if (bottom != nullptr) {
        free_frames = *reinterpret_cast<CallFrame**>(bottom);
    } else {
        // Twice the stride always holds one aligned piece. Untouched pages cost nothing.
        auto room =
            reinterpret_cast<u64>(rt::map_zeroed(kFramesStride + kFramesEndBit, "memspy.call_frames"));
        bottom = reinterpret_cast<CallFrame*>((room + kFramesStride - 1) & ~(kFramesStride - 1));
        if (reinterpret_cast<u64>(bottom) + kFramesEndBit > room + kFramesStride + kFramesEndBit)
            bottom = reinterpret_cast<CallFrame*>(reinterpret_cast<u64>(bottom) - kFramesStride);
    }
    *bottom = CallFrame{.slot = kBottomSlot, .path = CallPath::Root, .caller = 0};
    return bottom;
}

void give_back_frames(CallFrame* bottom) {
    *reinterpret_cast<CallFrame**>(bottom) = free_frames;
    free_frames = bottom;
}

// top = GET(top); new = top + 1
// new->slot = stack_pointer; new->(path, caller) = site->(child, caller); PUT(top) = new
// if (!(site->parent == top->path && stack_pointer < top->slot && !(new & kFramesEndBit))) memspy_called(…)
void emit_call(Emitter& emit, const CallFinder& calls, Address callee) {
    CallSite* site = site_of(calls.return_address(), callee);
    IRExpr* stack_pointer = stack_pointer_now(emit, calls);
    IRExpr* top = emit.get(call_top_offset(), Ity_I64);
    IRExpr* path = emit.load(Ity_I32, emit.binop(Iop_Add64, top, Emitter::u64c(8)));
    IRExpr* child = emit.load(Ity_I64, Emitter::pointer(site));
    IRExpr* parent = emit.load(Ity_I32, Emitter::pointer(&site->parent));
    IRExpr* frame = emit.binop(Iop_Add64, top, Emitter::u64c(sizeof(CallFrame)));
    IRExpr* known = emit.binop(Iop_CmpEQ32, parent, path);
    IRExpr* below = emit.binop(Iop_CmpLT64U, stack_pointer, emit.load(Ity_I64, top));
    IRExpr* room =
        emit.binop(Iop_CmpEQ64, emit.binop(Iop_And64, frame, Emitter::u64c(kFramesEndBit)), Emitter::u64c(0));
    IRExpr* good = emit.binop(Iop_And1, known, emit.binop(Iop_And1, below, room));
    emit.store(frame, stack_pointer);
    emit.store(emit.binop(Iop_Add64, frame, Emitter::u64c(8)), child);
    emit.put(call_top_offset(), frame);
    emit_helper(emit, "memspy_called", MEMSPY_STATE_ENTRY(memspy_called),
                arguments_and_state(Emitter::pointer(site), stack_pointer), emit.unop(Iop_Not1, good));
}

// top = GET(top); PUT(top) = top - 1
// if (top->slot + kReturnPops != stack_pointer) memspy_returned(stack_pointer)
static void emit_return(Emitter& emit, IRExpr* stack_pointer) {
    IRExpr* top = emit.get(call_top_offset(), Ity_I64);
    IRExpr* slot = emit.load(Ity_I64, top);
    emit.put(call_top_offset(), emit.binop(Iop_Sub64, top, Emitter::u64c(sizeof(CallFrame))));
    IRExpr* expected = emit.binop(Iop_Sub64, stack_pointer, Emitter::u64c(kReturnPops));
    IRExpr* other = emit.binop(Iop_CmpNE64, slot, expected);
    emit_helper(emit, "memspy_returned", MEMSPY_STATE_ENTRY(memspy_returned),
                arguments_and_state(stack_pointer), other);
}

void emit_call_or_return(Emitter& emit, const CallFinder& calls, IRJumpKind jump) {
    // VEX gives arm64's plain branch (B) the kind "call", too.
    if (jump == Ijk_Call && calls.links()) emit_call(emit, calls, calls.callee());
    if (jump == Ijk_Ret) emit_return(emit, stack_pointer_now(emit, calls));
}

void set_log_position(const u64* (*f)(const u8* state)) { next_record = f; }

void emit_growth(Emitter& emit, const CallFinder& calls) {
    IRExpr* const from = deepCopyIRExpr(calls.grows_from());
    emit_helper(emit, "memspy_frame_grows", MEMSPY_STATE_ENTRY(memspy_frame_grows),
                arguments_and_state(from, Emitter::u64c(calls.instruction())), nullptr);
}

// What the value was before a number that code has computed was added to it or taken from it, aligned or not. Null:
// it is something else.
static const IRExpr* base_of_sum(const IRSB* in, const IRExpr* value) {
    while (const IRStmt* maker = maker_of(in, value)) {
        const IRExpr* made = maker->Ist.WrTmp.data;
        if (made->tag != Iex_Binop) return nullptr;
        const IROp op = made->Iex.Binop.op;
        const bool is_constant =
            made->Iex.Binop.arg2->tag == Iex_Const || made->Iex.Binop.arg1->tag == Iex_Const;
        if (op == Iop_Sub64 || op == Iop_Add64) {
            if (!is_constant) return made->Iex.Binop.arg1;
        } else if (op != Iop_And64) {
            return nullptr;
        }
        value = made->Iex.Binop.arg1;
    }
    return nullptr;
}

// Whether another register than the stack pointer, or the frame pointer, gets the value.
static bool is_in_register(const IRSB* in, IRTemp value) {
    const GuestLayout layout = guest_layout();
    for (int i = 0; i < in->stmts_used; ++i) {
        const IRStmt* s = in->stmts[i];
        if (s->tag == Ist_Put && s->Ist.Put.data->tag == Iex_RdTmp &&
            s->Ist.Put.data->Iex.RdTmp.tmp == value && s->Ist.Put.offset != layout.stack_pointer &&
            s->Ist.Put.offset != layout.frame_pointer)
            return true;
    }
    return false;
}

// The same of a constant. A compiler that knows the length of an array subtracts one, as at the beginning of a
// function, and has the array's address in another register, too; or it takes one page after the other.
static const IRExpr* base_of_known_sum(const IRSB* in, const IRExpr* value) {
    constexpr u64 kLeast = 16, kMost = u64{1} << 30, kPage = 4096;  // bytes
    const IRStmt* const maker = maker_of(in, value);
    const IRExpr* const made = maker == nullptr ? nullptr : maker->Ist.WrTmp.data;
    if (made == nullptr || made->tag != Iex_Binop || made->Iex.Binop.arg2->tag != Iex_Const) return nullptr;
    const u64 number = made->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
    const u64 taken = made->Iex.Binop.op == Iop_Sub64   ? number
                      : made->Iex.Binop.op == Iop_Add64 ? -number
                                                        : 0;
    const bool may_be_array = taken >= kLeast && taken < kMost;
    return may_be_array && (taken == kPage || is_in_register(in, value->Iex.RdTmp.tmp)) ? made->Iex.Binop.arg1
                                                                                        : nullptr;
}

Taking find_taking(const IRSB* in, const IRStmt* put) {
    if (put->Ist.Put.offset != guest_layout().stack_pointer || put->Ist.Put.data->tag != Iex_RdTmp ||
        !threads::follows_growth())
        return {};
    if (const IRExpr* const base = base_of_sum(in, put->Ist.Put.data); base != nullptr) return {base, true};
    return {base_of_known_sum(in, put->Ist.Put.data), false};
}

// Of a number that the compiler knew: functions take all of their frame so when they begin.
static bool is_array(Address superblock, Address code) {
    const HChar* name = nullptr;
    return !VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), superblock, &name) &&
           threads::takes_as_it_goes(code);
}

// amd64 stores the return address, arm64 puts it into X30.
void CallFinder::note(const IRStmt* s) {
    auto is_end = [&](const IRExpr* e) {
        return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64 && e->Iex.Const.con->Ico.U64 == end_;
    };
    switch (s->tag) {
        case Ist_IMark:
            begin_ = instruction_address(s);
            if (first_ == 0) first_ = begin_;
            end_ = begin_ - s->Ist.IMark.delta + s->Ist.IMark.len;
            links_ = false;
            grows_from_ = nullptr;
            break;
        case Ist_Put:
            if (s->Ist.Put.offset == guest_layout().stack_pointer) {
                const Taking taking = find_taking(in_, s);
                grows_from_ = taking.from;
                if (grows_from_ != nullptr && !taking.computed && !is_array(first_, begin_))
                    grows_from_ = nullptr;
                // VEX adds up what a superblock subtracts.
                if (grows_from_ != nullptr && stack_pointer_ != nullptr) grows_from_ = stack_pointer_;
                stack_pointer_ = s->Ist.Put.data;
            }
#if defined(VGA_arm64)
            if (s->Ist.Put.offset == offsetof(VexGuestARM64State, guest_X30))
                links_ = is_end(s->Ist.Put.data);
#endif
            break;
        case Ist_Store:
#if defined(VGA_amd64)
            if (is_end(s->Ist.Store.data)) links_ = true;
#endif
            break;
        default: break;
    }
    (void)is_end;
}

Address CallFinder::callee() const {
    const IRExpr* next = in_->next;
    return next->tag == Iex_Const && next->Iex.Const.con->tag == Ico_U64 ? next->Iex.Const.con->Ico.U64 : 0;
}

bool CallFinder::followed_call(int next) const {
    return links_ && next < in_->stmts_used && instruction_address(in_->stmts[next]) != end_;
}

}  // namespace memspy::instrument
