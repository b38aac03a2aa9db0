// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/fast.h"

#include "instrument/check_plan.h"
#include "instrument/core/policy.h"
#include "instrument/core/rare.h"
#include "instrument/core/shadow_code.h"
#include "instrument/core/sites.h"
#include "instrument/core/unchecked.h"
#include "instrument/dead_code.h"
#include "instrument/dead_writes.h"
#include "instrument/observers.h"
#include "instrument/register_use.h"
#include "instrument/stack/stack_marks.h"
#include "vg/translator.h"

namespace memspy::instrument {
namespace {

bool is_register_write(const IRStmt* s) {
    return (s->tag == Ist_Put && groups_of(s->Ist.Put.offset, 1) != 0) || s->tag == Ist_PutI;
}

class FastTranslator {
public:
    explicit FastTranslator(const IRSB* in)
        : in_(in),
          out_(deepCopyIRSBExceptStmts(in)),
          emit_(out_),
          addresses_(in),
          plan_(in),
          observers_(emit_, in),
          stack_(emit_, in),
          use_(in) {}

    IRSB* run();

private:
    int instruction_end(int begin) const;
    bool can_restart(int begin, int end);
    void emit_entry_check(Address first);
    void emit_instruction(int begin, int end);
    void plan_checks(int begin, int end);
    const Scratch<bool>& find_trips(int begin, int end);
    void emit_check(int statement, const Access& access, Address instruction, Level level);
    void emit_shared_check(const Planned& planned, const Access& access, const Origin& origin,
                           Address instruction);
    void emit_exit(IRExpr* bad, IRExpr* checked, Address instruction);
    bool is_return_address(int statement, const Origin& origin) const;
    bool needs_check(int statement, const Origin& origin) const;
    bool is_aligned(const Origin& origin) const;
    void note_aligned(const Origin& origin);
    void flush_pending();
    bool conflicts_with_pending(const IRStmt* statement) const;

    const IRSB* in_;
    IRSB* out_;
    Emitter emit_;
    Addresses addresses_;
    KnownFine fine_;
    CheckPlan plan_;
    Observers observers_;
    StackMarks stack_;
    Scratch<Level> levels_;    // for each IMark statement: the instruction's
    Scratch<bool> trips_;      // for each IMark statement: the instruction has a check
    Scratch<bool> dead_;       // statements that are left out
    Scratch<Origin> aligned_;  // addresses known to be multiples of four
    static constexpr u32 kMaxPending = 64;
    IRStmt* pending_[kMaxPending];  // register writes that wait for the checks of their instruction
    u32 pending_count_ = 0;
    RegisterUse use_;
};

int FastTranslator::instruction_end(int begin) const {
    int i = begin + 1;
    while (i < in_->stmts_used && in_->stmts[i]->tag != Ist_IMark) ++i;
    return i;
}

// A return pops the return address that a call pushed, which is not poison.
bool FastTranslator::is_return_address(int statement, const Origin& origin) const {
    const IRStmt* s = in_->stmts[statement];
    return origin.kind == Origin::AddressRoot::Stack && s->tag == Ist_WrTmp && in_->jumpkind == Ijk_Ret &&
           in_->next->tag == Iex_RdTmp && in_->next->Iex.RdTmp.tmp == s->Ist.WrTmp.tmp;
}

bool FastTranslator::needs_check(int statement, const Origin& origin) const {
    switch (stack_.kind(statement)) {
        case StackMarks::MarkEffect::Defines:
        case StackMarks::MarkEffect::Nothing: return false;
        case StackMarks::MarkEffect::Tests: return !is_return_address(statement, origin);
        case StackMarks::MarkEffect::Other: break;
    }
    return !needs_no_check(origin) && !is_return_address(statement, origin);
}

// Whether every check of the instruction can be emitted before all effects that forbid a restart. Register
// writes can wait for a later check unless something in between reads registers. A store may be repeated,
// because its value came from registers or from loads that were checked before. An instruction that switches
// to another stack is always tracked: that stack may be in a heap block.
bool FastTranslator::can_restart(int begin, int end) {
    using AtExit = ObserverKind::AtExit;
    const AtExit observed = observers_at_exit();
    const bool at_once = tell_observers_at_once();
    bool waiting = false, done = false, loaded = false;
    KnownFine told;  // accesses before, whose checks serve for later ones
    bool any_told = false;
    for (int i = begin + 1; i < end; ++i) {
        const IRStmt* s = in_->stmts[i];
        addresses_.note(s);
        stack_.note(i, addresses_);
        if (!policy().check_accesses) continue;
        if (switches_stack(s, addresses_)) return false;
        Access access = access_of(in_, s);
        if (access && needs_check(i, addresses_.origin(access.address))) {
            if (done) return false;
            if (s->tag == Ist_Dirty) return false;
            if (any_told && !told.covers(addresses_.origin(access.address), access.bytes)) return false;
        }
        if (access && at_once) {
            told.add(addresses_.origin(access.address), access.bytes);
            any_told = true;
        }
        if (s->tag == Ist_Dirty || s->tag == Ist_CAS || s->tag == Ist_PutI) done = true;
        loaded |= access.loads;
        if (s->tag == Ist_Exit && (observed == AtExit::Always || (observed == AtExit::OfLoads && loaded)))
            done = true;
        if (s->tag == Ist_Put && is_register_write(s)) waiting = true;
        // These force the waiting writes out: see emit_instruction.
        bool reads_registers = s->tag == Ist_Exit || s->tag == Ist_Store || s->tag == Ist_StoreG ||
                               (s->tag == Ist_WrTmp &&
                                (s->Ist.WrTmp.data->tag == Iex_Get || s->Ist.WrTmp.data->tag == Iex_GetI));
        if (reads_registers && waiting) done = true;
    }
    return true;
}

IRSB* FastTranslator::run() {
    int begin = preamble_end(in_);
    Address first = instruction_address(in_->stmts[begin]);

    // Find the end of the part that can be translated fast.
    levels_.resize(static_cast<usize>(in_->stmts_used));
    int end = begin;
    bool whole = true;
    Address before = 0;  // end of the instruction before
    while (end < in_->stmts_used) {
        int next = instruction_end(end);
        Address instruction = instruction_address(in_->stmts[end]);
        if (end != begin && must_begin(instruction, before)) {
            whole = false;
            break;
        }
        before = instruction - in_->stmts[end]->Ist.IMark.delta + in_->stmts[end]->Ist.IMark.len;
        Level& level = levels_[static_cast<usize>(end)] = level_of(instruction);
        if (!can_restart(end, next)) raise_level(instruction, level = Level::Track);
        if (level == Level::Track) {
            whole = false;
            break;
        }
        for (int i = end; policy().undefined && i < next; ++i) use_.note(in_->stmts[i]);
        end = next;
    }
    if (end == begin) return nullptr;

    if (policy().check_accesses) plan_checks(begin, end);
    find_dead_writes(in_, begin, end, find_trips(begin, end), dead_);
    for (int i = 0; i < begin; ++i) emit_.add(in_->stmts[i]);
    if (policy().undefined) emit_entry_check(first);
    emit_run_count(emit_);
    stack_.begin(first);
    observers_.begin(begin, end);
    for (int i = begin; i < end;) {
        int next = instruction_end(i);
        emit_instruction(i, next);
        i = next;
    }
    if (!whole) {
        out_->next = Emitter::u64c(instruction_address(in_->stmts[end]));
        out_->jumpkind = Ijk_Boring;
    }
    stack_.leave();
    observers_.end(out_->jumpkind);
    vg::needs_no_cleanup();
    return remove_dead_code(out_);
}

// if (poison_mask & (touched | kFlush)) goto entry site
void FastTranslator::emit_entry_check(Address first) {
    IRExpr* mask = emit_.get(mask_offset(), Ity_I32);
    IRExpr* met = emit_.binop(Iop_And32, mask, Emitter::u32c(use_.use().touched | kFlush));
    IRExpr* leave = emit_.unop(Iop_CmpNEZ32, met);
    emit_.add(IRStmt_Exit(leave, Ijk_Boring, IRConst_U64(entry_site(first, use_.use())), out_->offsIP));
}

bool FastTranslator::conflicts_with_pending(const IRStmt* s) const {
    if (s->tag != Ist_WrTmp) return false;
    const IRExpr* data = s->Ist.WrTmp.data;
    if (data->tag == Iex_GetI) return true;
    if (data->tag != Iex_Get) return false;
    Int begin = data->Iex.Get.offset, end = begin + sizeofIRType(data->Iex.Get.ty);
    for (u32 i = 0; i < pending_count_; ++i) {
        const IRStmt* put = pending_[i];
        Int put_begin = put->Ist.Put.offset;
        Int put_end = put_begin + sizeofIRType(typeOfIRExpr(in_->tyenv, put->Ist.Put.data));
        if (put_begin < end && begin < put_end) return true;
    }
    return false;
}

void FastTranslator::flush_pending() {
    for (u32 i = 0; i < pending_count_; ++i) emit_.add(pending_[i]);
    pending_count_ = 0;
}

void FastTranslator::emit_instruction(int begin, int end) {
    Address instruction = instruction_address(in_->stmts[begin]);
    const Level level = levels_[static_cast<usize>(begin)];
    int last_access = begin;  // with a check
    for (int i = begin + 1; policy().check_accesses && i < end; ++i)
        if (access_of(in_, in_->stmts[i])) last_access = i;

    emit_.add(in_->stmts[begin]);
    // VEX leaves out this write where an unrolled loop begins again, but a fault there is this instruction's.
    const int first = preamble_end(in_);
    if (begin != first && instruction == instruction_address(in_->stmts[first]))
        emit_.put(guest_layout().program_counter, Emitter::u64c(instruction));
    observers_.instruction(in_->stmts[begin]);
    for (int i = begin + 1; i < end; ++i) {
        IRStmt* s = in_->stmts[i];
        observers_.met(s);
        stack_.met(i);
        if (dead_[static_cast<usize>(i)]) continue;
        Access access = access_of(in_, s);
        if (access && s->tag != Ist_Dirty) emit_check(i, access, instruction, level);
        bool waits =
            s->tag == Ist_Put && i < last_access && pending_count_ < kMaxPending && is_register_write(s);
        if (waits) {
            pending_[pending_count_++] = s;
            continue;
        }
        // Loads may be emitted before waiting writes; statements that may read a register may not.
        bool may_pass = s->tag == Ist_WrTmp && !conflicts_with_pending(s);
        if (!may_pass) flush_pending();
        if (s->tag == Ist_Exit) {
            stack_.leave();
            observers_.before_exit(s);
        }
        if (s->tag == Ist_Store || s->tag == Ist_StoreG) observers_.before_store(i, access);
        emit_.add(s);
        if (is_value_load(s)) observers_.loaded(i);
        if (s->tag == Ist_Exit) observers_.passed_exit(s);
        if (!access) continue;
        const Origin origin = addresses_.origin(access.address);
        access.in_one_line = policy().check_accesses && access.bytes == 4 && is_aligned(origin);
        observers_.access(i, access, origin);
    }
    flush_pending();
    observers_.end_of_instruction(end);
}

void FastTranslator::plan_checks(int begin, int end) {
    Level level = Level::Shared;
    for (int i = begin; i < end; ++i) {
        const IRStmt* s = in_->stmts[i];
        if (s->tag == Ist_IMark) level = levels_[static_cast<usize>(i)];
        Access access = access_of(in_, s);
        if (!access || s->tag == Ist_Dirty) continue;
        Origin origin = addresses_.origin(access.address);
        if (stack_.kind(i) == StackMarks::MarkEffect::Other && needs_check(i, origin))
            plan_.add(i, access, origin, level);
    }
}

const Scratch<bool>& FastTranslator::find_trips(int begin, int end) {
    trips_.resize(static_cast<usize>(in_->stmts_used));
    usize mark = 0;
    for (int i = begin; i < end; ++i) {
        const IRStmt* s = in_->stmts[i];
        if (s->tag == Ist_IMark) mark = static_cast<usize>(i);
        Access access = access_of(in_, s);
        if (!access) continue;
        const Origin origin = addresses_.origin(access.address);
        if (!needs_check(i, origin)) {
            // Runtimes let loads fault on purpose (null checks, safepoints), and the handler sees the
            // registers. Accesses to the stack do not fault on purpose.
            if (origin.kind != Origin::AddressRoot::Stack) trips_[mark] = true;
            continue;
        }
        Planned planned = plan_.at(i);
        if (planned.window == nullptr || planned.leads) trips_[mark] = true;
    }
    return trips_;
}

bool FastTranslator::is_aligned(const Origin& origin) const {
    if (origin.kind == Origin::AddressRoot::Static) return (origin.offset & 3) == 0;
    for (const Origin& known : aligned_)
        if (known.root == origin.root && ((known.offset ^ origin.offset) & 3) == 0) return true;
    return false;
}

void FastTranslator::note_aligned(const Origin& origin) {
    if (origin.kind != Origin::AddressRoot::Static && !is_aligned(origin)) aligned_.push_back(origin);
}

// PUT(checked_offset) = checked;  if (bad) goto access site
void FastTranslator::emit_exit(IRExpr* bad, IRExpr* checked, Address instruction) {
    emit_.put(checked_offset(), checked);
    emit_.add(IRStmt_Exit(bad, Ijk_Boring, IRConst_U64(access_site(instruction)), out_->offsIP));
}

void FastTranslator::emit_shared_check(const Planned& planned, const Access& access, const Origin& origin,
                                       Address instruction) {
    CheckWindow& window = *planned.window;
    if (planned.leads) {
        Origin low{.kind = origin.kind, .root = window.root, .offset = window.low};
        IRExpr* address = access.address;
        if (planned.at != 0) address = emit_.binop(Iop_Sub64, address, Emitter::u64c(planned.at));
        ShadowTest test = test_window(emit_, address, window.bytes, window.mask, is_aligned(low));
        emit_exit(test.bad, address, instruction);
        window.state_address = test.state_address;
        note_aligned(low);
    }
    if (planned.defines) make_window_fine(emit_, window.state_address, planned.at, access.bytes);
}

void FastTranslator::emit_check(int statement, const Access& access, Address instruction, Level level) {
    Origin origin = addresses_.origin(access.address);
    if (stack_.kind(statement) == StackMarks::MarkEffect::Defines) {
        stack_.define(statement);
        fine_.add(origin, access.bytes);
        return;
    }
    if (!needs_check(statement, origin)) return;
    if (stack_.kind(statement) == StackMarks::MarkEffect::Tests) {
        if (fine_.covers(origin, access.bytes)) return;
        IRExpr* bad = stack_.test(statement);
        emit_.add(IRStmt_Exit(bad, Ijk_Boring, IRConst_U64(exact_site(instruction)), out_->offsIP));
        fine_.add(origin, access.bytes);
        return;
    }
    stack_.before_check();
    Planned planned = plan_.at(statement);
    if (planned.window != nullptr) {
        emit_shared_check(planned, access, origin, instruction);
        fine_.add(origin, access.bytes);
        return;
    }
    if (access.guard == nullptr && fine_.covers(origin, access.bytes)) return;

    bool cheap = level <= Level::Single;
    ShadowTest test = cheap ? test_cheap(emit_, access, access.bytes >= 4 && is_aligned(origin))
                            : test_exact(emit_, access);
    IRExpr* bad = test.bad;
    if (access.guard != nullptr) bad = emit_.binop(Iop_And1, bad, access.guard);
    emit_exit(bad, access.address, instruction);
    make_fine(emit_, test);
    if (access.guard != nullptr) return;
    if (cheap && access.bytes >= 4) note_aligned(origin);
    fine_.add(origin, access.bytes);
}

}  // namespace

IRSB* translate_fast(const IRSB* in) { return FastTranslator(in).run(); }

}  // namespace memspy::instrument
