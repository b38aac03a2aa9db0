// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/spins/loop_code.h"

#include <new>

#include "instrument/core/access.h"
#include "instrument/core/known_bits.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/faults.h"

namespace memspy::instrument {
namespace {

constexpr usize kMostBlocks = 512;  // some kilobytes each
rt::Global<rt::HashMap<LoopCode*>> known;
LoopCode* filled = nullptr;

LoopAtom atom(const IRExpr* e) {
    LoopAtom result;
    if (e->tag == Iex_RdTmp) {
        result.is_temp = true;
        result.bits = e->Iex.RdTmp.tmp;
    } else if (e->tag == Iex_Const) {
        const KnownBits bits = constant_bits(*e->Iex.Const.con);
        result.known = bits.known;
        result.bits = bits.bits;
    }
    return result;
}

u16 bytes_of(const IRSB* block, const IRExpr* e) {
    const IRType type = typeOfIRExpr(block->tyenv, const_cast<IRExpr*>(e));
    return type == Ity_I1 ? 1 : static_cast<u16>(sizeofIRType(type));
}

// Helpers that compute conditions of amd64 and arm64 from what the last comparison left. They are pure.
bool is_condition(const IRCallee* callee) {
    return VG_(strncmp)(callee->name, "amd64g_calculate_", 17) == 0 ||
           VG_(strncmp)(callee->name, "arm64g_calculate_", 17) == 0;
}

void add_call(LoopCode& code, LoopStatement& s, const IRExpr* e) {
    constexpr u32 kMostArguments = 6;
    u32 count = 0;
    while (e->Iex.CCall.args[count] != nullptr) ++count;
    if (!is_condition(e->Iex.CCall.cee) || count > kMostArguments) return;
    s.what = LoopStatement::What::Helper;
    s.helper = e->Iex.CCall.cee->addr;
    s.excused = static_cast<u8>(e->Iex.CCall.cee->mcx_mask);
    s.arguments = static_cast<u32>(code.arguments.size());
    s.count = count;
    for (u32 i = 0; i < count; ++i) code.arguments.push_back(atom(e->Iex.CCall.args[i]));
}

void add_value(LoopCode& code, const IRSB* block, LoopStatement& s, const IRExpr* e) {
    using enum LoopStatement::What;
    s.bytes = bytes_of(block, e);
    switch (e->tag) {
        case Iex_RdTmp:
        case Iex_Const:
            s.what = Copy;
            s.a = atom(e);
            break;
        case Iex_Get:
            s.what = Get;
            s.offset = e->Iex.Get.offset;
            break;
        case Iex_Load:
            s.what = Load;
            s.a = atom(e->Iex.Load.addr);
            break;
        case Iex_Unop:
            s.what = Unary;
            s.op = e->Iex.Unop.op;
            s.a = atom(e->Iex.Unop.arg);
            break;
        case Iex_Binop:
            s.what = Binary;
            s.op = e->Iex.Binop.op;
            s.a = atom(e->Iex.Binop.arg1);
            s.b = atom(e->Iex.Binop.arg2);
            break;
        case Iex_ITE:
            s.what = Choice;
            s.a = atom(e->Iex.ITE.cond);
            s.b = atom(e->Iex.ITE.iftrue);
            s.c = atom(e->Iex.ITE.iffalse);
            break;
        case Iex_CCall: add_call(code, s, e); break;
        default: break;
    }
}

bool is_counter(const IRCallee* callee) {
    return VG_(strcmp)(callee->name, "amd64g_dirtyhelper_RDTSC") == 0 ||
           VG_(strcmp)(callee->name, "arm64g_dirtyhelper_MRS_CNTVCT_EL0") == 0;
}

bool is_same(const IRExpr* a, const IRExpr* b) {
    return a->tag == Iex_RdTmp && b->tag == Iex_RdTmp && a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp;
}

void add_update(LoopStatement& s, const IRSB* block, const IRCAS& cas) {
    if (cas.dataHi != nullptr) return;
    s.what = LoopStatement::What::Update;
    s.bytes = bytes_of(block, cas.dataLo);
    s.temp = cas.oldLo;
    s.a = atom(cas.addr);
    s.b = atom(cas.expdLo);
    s.c = atom(cas.dataLo);
    s.op = Iop_INVALID;
    const IRStmt* const maker = maker_of(block, cas.dataLo);
    const IRExpr* const made = maker == nullptr ? nullptr : maker->Ist.WrTmp.data;
    if (made == nullptr || made->tag != Iex_Binop || !is_same(made->Iex.Binop.arg1, cas.expdLo)) return;
    s.op = made->Iex.Binop.op;
    s.other = atom(made->Iex.Binop.arg2);
}

void add(LoopCode& code, const IRSB* block, const IRStmt* statement) {
    using enum LoopStatement::What;
    LoopStatement s{};
    switch (statement->tag) {
        case Ist_NoOp:
        case Ist_AbiHint:
        case Ist_MBE: return;
        case Ist_IMark:
            s.what = Instruction;
            s.a.bits = instruction_address(statement);
            break;
        case Ist_WrTmp:
            s.what = Unknown;
            s.temp = statement->Ist.WrTmp.tmp;
            add_value(code, block, s, statement->Ist.WrTmp.data);
            break;
        case Ist_Put:
            s.what = Put;
            s.offset = statement->Ist.Put.offset;
            s.a = atom(statement->Ist.Put.data);
            s.bytes = bytes_of(block, statement->Ist.Put.data);
            break;
        case Ist_Store:
            s.what = Store;
            s.a = atom(statement->Ist.Store.addr);
            s.b = atom(statement->Ist.Store.data);
            s.bytes = bytes_of(block, statement->Ist.Store.data);
            break;
        case Ist_CAS: add_update(s, block, *statement->Ist.CAS.details); break;
        case Ist_Dirty:
            if (!is_counter(statement->Ist.Dirty.details->cee)) break;
            s.what = Counter;
            s.temp = statement->Ist.Dirty.details->tmp;
            s.helper = statement->Ist.Dirty.details->cee->addr;
            break;
        case Ist_Exit:
            s.what = statement->Ist.Exit.jk == Ijk_Boring ? Exit : Fault;
            s.a = atom(statement->Ist.Exit.guard);
            s.b.bits = constant_bits(*statement->Ist.Exit.dst).bits;
            break;
        default: break;
    }
    code.statements.push_back(s);
}

void look(const IRSB* block) {
    for (int i = preamble_end(block); i < block->stmts_used; ++i) add(*filled, block, block->stmts[i]);
    filled->temps = static_cast<u32>(block->tyenv->types_used);
    filled->next = atom(block->next);
    filled->goes_on = block->jumpkind == Ijk_Boring || block->jumpkind == Ijk_Call ||
                      block->jumpkind == Ijk_Ret || block->jumpkind == Ijk_Yield;
    filled->calls_system = block->jumpkind == Ijk_Sys_syscall;
}

}  // namespace

const LoopCode* loop_code(u32 guest_id, Address first) {
    if (LoopCode** found = known->find(first)) return *found;
    if (known->size() >= kMostBlocks) forget_loop_code();
    if (!VG_(am_is_valid_for_client)(first, 1, VKI_PROT_READ)) return nullptr;
    filled = new (rt::allocate(sizeof(LoopCode), "memspy.loop_code")) LoopCode;
    vg::look_at_code(guest_id, first, look);
    (*known)[first] = filled;
    return filled;
}

void forget_loop_code() {
    known->for_each([](u64, LoopCode* code) {
        code->~LoopCode();
        rt::release(code);
    });
    known->clear();
}

}  // namespace memspy::instrument
