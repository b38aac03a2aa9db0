// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log/access_log.h"

#include <cstddef>

#include "instrument/core/call_tracking.h"
#include "instrument/core/policy.h"
#include "instrument/core/registers.h"
#include "instrument/core/sites.h"
#include "instrument/core/state_call.h"
#include "instrument/log/log_policy.h"
#include "instrument/log/record_keeping.h"
#include "instrument/log/sums.h"

namespace memspy::instrument {

using log::AccessUse;
using log::kNoWord;
using log::Segment;
using log::Shape;

LogWriter::LogWriter(Emitter& emit, const IRSB* in)
    : emit_(emit),
      in_(in),
      samples_(log_policy().pass_unsampled),
      passes_(log_policy().passes_accesses()),
      quiet_(emit),
      sample_(emit) {}

void LogWriter::begin(int begin, int) {
    if (!passes_) return full_check(instruction_address(in_->stmts[begin]));
    begin_pause();
    for (Int i = in_->stmts_used; i-- > 0 && !access_of(in_, in_->stmts[i]);)
        if (in_->stmts[i]->tag == Ist_Exit) last_exit_ = in_->stmts[i];
}

// pause = GET(pause_offset)
void LogWriter::begin_pause() {
    pause_ = emit_.get(pause_offset(), Ity_I64);
    told_ = told_accesses_ = 0;
}

// pause + what was executed
IRExpr* LogWriter::pause_with(u32 executed, u32 accesses) {
    if (executed == 0) return pause_;
    return emit_.binop(Iop_Add64, pause_, Emitter::u64c(executed * kInstruction + accesses));
}

// PUT(pause_offset) = that
void LogWriter::tell_executed(u32 executed, u32 accesses) {
    if (executed != 0) emit_.put(pause_offset(), pause_with(executed, accesses));
}

// Of the open record.
u32 LogWriter::accesses_so_far() const {
    return samples_ ? shape_.word_accesses : shape_.loads + shape_.stores;
}

// Whether the record is kept as far as it goes. `pause`: with what was executed of it.
IRExpr* LogWriter::is_kept(IRExpr* pause) { return samples_ ? sample_.test(pause) : quiet_.test(); }

// The record is kept, since it has more than accesses. Without an order to follow, a sample is of accesses
// only.
void LogWriter::keep() {
    if (!samples_)
        quiet_.keep();
    else if (log_policy().follow_order)
        sample_.keep();
}

// PUT(pause_offset) = pause + what was executed;  if (loud && leaves) memspy_keep_record(shape, state)
// `executed`: instructions of the record up to here; `leaves`: the condition of the exit before which this
// stands, or null.
void LogWriter::leave_record(u32 executed, IRExpr* leaves) {
    IRExpr* pause = pause_with(told_ + executed, told_accesses_ + accesses_so_far());
    IRExpr* guard = is_kept(pause);
    if (told_ + executed != 0) emit_.put(pause_offset(), pause);
    if (guard->tag == Iex_Const) {
        guard = leaves;
    } else {
        guard = emit_.unop(Iop_CmpNEZ64, guard);
        if (leaves != nullptr) guard = emit_.binop(Iop_And1, guard, leaves);
    }
    shape_.segments.clear();
    shape_.segments.push_back(Segment{kNoWord, static_cast<u16>(executed)});
    emit_keep_record(emit_, log::number_of_shape(shape_), guard);
}

// if (cursor & kFullBit) goto the full site of first
void LogWriter::full_check(Address first) {
    IRExpr* full = emit_.binop(Iop_And64, emit_.get(cursor_offset(), Ity_I64), Emitter::u64c(log::kFullBit));
    IRExpr* leave = emit_.unop(Iop_CmpNEZ64, full);
    emit_.add(IRStmt_Exit(leave, Ijk_Boring, IRConst_U64(full_site(first)), guest_layout().program_counter));
}

// An exit with SigBUS comes before its instruction is done (ARM64's atomic instructions at unaligned
// addresses), so that instruction does not count.
u16 LogWriter::executed_at(const IRStmt* exit) const {
    const bool done = exit->Ist.Exit.jk != Ijk_SigBUS;
    return done || ordinal_ == kBefore ? executed_so_far() : static_cast<u16>(ordinal_);
}

// pause[cursor] += n. Instructions without a record count towards the time of the next record.
void LogWriter::tell_pause(u32 executed) {
    if (passes_) {
        told_ += executed;
        tell_executed(told_, told_accesses_);
    } else if (executed != 0) {
        IRExpr* at = emit_.binop(Iop_Add64, emit_.get(cursor_offset(), Ity_I64), Emitter::u64c(8));
        emit_.store(at, emit_.binop(Iop_Add64, emit_.load(Ity_I64, at), Emitter::u64c(executed)));
    }
    ordinal_ -= static_cast<int>(executed);
}

//
// cursor = GET(cursor_offset)
// cursor[0] = shape number; cursor[1] = top->path;  PUT(cursor_offset) = cursor + bytes of the record
// The order matters. VEX may delay one of the program's loads up to the next store. If that load faults, the
// cursor must not be behind a record without a head.
void LogWriter::begin_record() {
    open_ = true;
    cursor_ = emit_.get(cursor_offset(), Ity_I64);
    if (passes_) samples_ ? sample_.begin() : quiet_.begin();
    marker_ = kNoWord;
    // If accesses are passed, only a trip needs the number of the whole record.
    if (!passes_ || policy().check_accesses) {
        shape_number_ = IRConst_U32(0);
        emit_.store(cursor_, IRExpr_Const(shape_number_));
    }
    if (passes_) return;
    IRExpr* top = emit_.get(call_top_offset(), Ity_I64);
    IRExpr* path = emit_.load(Ity_I32, emit_.binop(Iop_Add64, top, Emitter::u64c(8)));
    emit_.store(emit_.binop(Iop_Add64, cursor_, Emitter::u64c(4)), path);
    record_bytes_ = IRConst_U64(0);
    emit_.put(cursor_offset(), emit_.binop(Iop_Add64, cursor_, IRExpr_Const(record_bytes_)));
}

// Whether the thread should let others run before it takes the lock. Then its slice is over.
extern "C" [[gnu::used]] u64 memspy_before_lock(u8* state) {
    read_log_now(state);
    if (!log_policy().waits_before_lock(VG_(get_running_tid)())) return 0;
    *reinterpret_cast<UInt*>(state + offsetof(VexGuestArchState, host_EvC_COUNTER)) = 0;
    return 1;
}
MEMSPY_STATE_HELPER(memspy_before_lock, 0);

// if (memspy_before_lock(state)) goto function
// The core looks whether a slice is over only where code jumps back, and the function may take the lock before.
void LogWriter::perhaps_wait_before(Address function) {
    const IRTemp waits = emit_.new_temp(Ity_I64);
    IRDirty* call = unsafeIRDirty_1_N(waits, 0, "memspy_before_lock",
                                      VG_(fnptr_to_fnentry)(MEMSPY_STATE_ENTRY(memspy_before_lock)),
                                      arguments_and_state());
    declare_effect(call, guest_layout().stack_pointer);
    emit_.add(IRStmt_Dirty(call));
    emit_.add(IRStmt_Exit(emit_.unop(Iop_CmpNEZ64, IRExpr_RdTmp(waits)), Ijk_Boring, IRConst_U64(function),
                          guest_layout().program_counter));
}

bool LogWriter::is_lock_call(Address code, Address before) {
    return code != before && log_policy().is_logging() &&
           (!log_policy().pass_unsampled || log_policy().follow_order) && log_policy().lock_call != nullptr &&
           log_policy().lock_call(code).event != log::LockEvent::None;
}

// cursor[word] = the argument
void LogWriter::lock_call(Address function) {
#if defined(VGA_amd64)
    constexpr Int kArguments[] = {offsetof(VexGuestAMD64State, guest_RDI),
                                  offsetof(VexGuestAMD64State, guest_RSI),
                                  offsetof(VexGuestAMD64State, guest_RDX)};
#else
    constexpr Int kArguments[] = {offsetof(VexGuestARM64State, guest_X0),
                                  offsetof(VexGuestARM64State, guest_X1),
                                  offsetof(VexGuestARM64State, guest_X2)};
#endif
    const log::LockCall call = log_policy().lock_call(function);
    end_record();
    begin_record();
    shape_.event = call.event;
    new_word(call.argument == 0 ? Emitter::u64c(call.number)
                                : emit_.get(kArguments[call.argument - 1], Ity_I64));
    if (passes_) {
        keep();
        leave_record(0, nullptr);
        begin_pause();
    } else {
        shape_.segments.push_back(Segment{kNoWord, 0});
    }
    close_record();
    if (log::takes_lock(call.event) && !log_policy().pass_unsampled &&
        log_policy().waits_before_lock != nullptr)
        perhaps_wait_before(function);
}

void LogWriter::instruction(const IRStmt* mark) {
    instruction_ = instruction_address(mark);
    if (is_lock_call(instruction_, instruction_end_)) lock_call(instruction_);
    instruction_end_ = instruction_ - mark->Ist.IMark.delta + mark->Ist.IMark.len;
    // At most this many bytes are needed for one instruction.
    constexpr u32 kMostOfInstruction = 40;
    if (open_ && shape_.words + kMostOfInstruction > log::kMostWords) end_record();
    ++ordinal_;
}

void LogWriter::access(int number, const Access& access, const Origin& origin) {
    const IRStmt* const statement = in_->stmts[number];
    // VEX translates `lock add` and arm64's LDADD into a load and a compare-and-swap. The compare-and-swap
    // alone counts as a load and a store.
    if (statement->tag == Ist_CAS)
        for (usize i = 0; i < waiting_.size(); ++i) {
            const Waiting& before = waiting_[i];
            if (before.access.stores || before.access.guard != nullptr ||
                before.access.bytes != access.bytes || before.origin.root != origin.root ||
                before.origin.offset != origin.offset)
                continue;
            for (usize k = i + 1; k < waiting_.size(); ++k) waiting_[k - 1] = waiting_[k];
            waiting_.resize(waiting_.size() - 1);
            break;
        }
    // An update that only looks is a load.
    const bool looks =
        statement->tag == Ist_CAS && log_policy().is_look != nullptr && log_policy().is_look(instruction_);
    const bool atomic =
        !looks && ((statement->tag == Ist_CAS && !is_fence(statement, origin)) || statement->tag == Ist_LLSC);
    Access seen = access;
    seen.stores = access.stores && !looks;
    waiting_.push_back(Waiting{seen, origin, atomic, loads_vector(in_, number),
                               seen.stores ? sum_kind(in_, statement) : log::SumKind::None,
                               looks ? log::UpdateKind::Other : update_kind(in_, statement),
                               atomic && seen.stores ? statement : nullptr,
                               atomic && compares(in_, statement)});
}

void LogWriter::before_exit(const IRStmt* exit) {
    // Memory that is not aligned, which most accesses of vectors are asked for. If accesses are passed, the
    // record is lost as at any other fault.
    const IRJumpKind kind = exit->Ist.Exit.jk;
    if (passes_ && (kind == Ijk_SigSEGV || kind == Ijk_SigBUS)) return;
    flush();
    if (kind == Ijk_Yield) return yield_at(exit);
    if (!open_)
        tell_pause(executed_at(exit));
    else if (exit == last_exit_)
        finish_record();
    else if (passes_)
        leave_record(executed_at(exit), exit->Ist.Exit.guard);
}

// A branch that waits. What was executed up to here is a record that yields, if the exit is taken.
void LogWriter::yield_at(const IRStmt* exit) {
    if (!open_) begin_record();
    if (!passes_) {
        yields_if_ = marker_;
        return;
    }
    keep();
    shape_.yields = true;
    leave_record(executed_at(exit), exit->Ist.Exit.guard);
    shape_.yields = false;
}

// cursor[word] = 1
void LogWriter::passed_exit(const IRStmt* exit) {
    if (!open_ || passes_) return;
    shape_.segments.push_back(Segment{marker_, executed_at(exit)});
    marker_ = new_word(Emitter::u64c(1));
    if (exit->Ist.Exit.jk == Ijk_Yield) shape_.early_yield = {true, yields_if_, marker_};
}

void LogWriter::end(IRJumpKind jump) {
    const bool yields = jump == Ijk_Yield;
    if (yields && !open_) begin_record();
    yielding_ = yields;
    if (open_ || !waiting_.empty())
        finish_record();
    else
        tell_pause(executed_so_far());
}

void LogWriter::end_record() {
    flush();
    if (!open_) return tell_pause(executed_so_far());
    finish_record();
}

void LogWriter::finish_record() {
    flush();
    const u16 executed = executed_so_far();
    shape_.yields = yielding_;
    shape_.may_spin = !yielding_ && shape_.stores == 0 && log_policy().spins_without_hint != nullptr &&
                      log_policy().spins_without_hint(instruction_);
    if (passes_) {
        if (shape_.may_wait()) keep();
        leave_record(executed, nullptr);
        begin_pause();
    } else {
        shape_.segments.push_back(Segment{marker_, executed});
    }
    close_record();
}

void LogWriter::close_record() {
    if (!passes_) record_bytes_->Ico.U64 = u64{shape_.record_words()} * 8;
    if (shape_number_ != nullptr) shape_number_->Ico.U32 = log::number_of_shape(shape_);
    words_in_superblock_ += shape_.record_words();
    CHECK_LT(words_in_superblock_, log::kMostSuperblockWords);
    shape_.words = shape_.loads = shape_.stores = shape_.word_accesses = 0;
    shape_.always = true;
    shape_.updates = shape_.yields = shape_.may_spin = false;
    shape_.early_yield = {};
    shape_.event = log::LockEvent::None;
    shape_.uses.clear();
    shape_.spans.clear();
    shape_.segments.clear();
    bases_.clear();
    open_ = false;
    ordinal_ = kBefore;
}

u8 LogWriter::new_word(IRExpr* value) {
    const u32 word = shape_.words++;
    CHECK_LT(word, u32{kNoWord});
    emit_.store(emit_.binop(Iop_Add64, cursor_, Emitter::u64c((log::kRecordHead + word) * 8)), value);
    return static_cast<u8>(word);
}

void LogWriter::flush() {
    if (!waiting_.empty() && !open_) begin_record();
    for (Waiting& waiting : waiting_) {
        write(waiting);
        if (!passes_) continue;
        if (waiting.atomic && waiting.access.stores) keep();
        if (samples_)
            sample_.add(waiting.access, waiting.origin);
        else
            quiet_.add(waiting.access, waiting.origin);
    }
    waiting_.resize(0);
}

void LogWriter::write_values(Waiting& update) {
    const UpdateValues values = update_values(emit_, in_, update.updates);
    if (values.before == nullptr) return;
    update.values = new_word(values.before);
    new_word(values.after);
}

// Writes nothing for an access to a constant address, or off a base that the record already has. Otherwise:
// cursor[word] = guard ? address : 0
void LogWriter::write(Waiting& waiting) {
    if (waiting.updates != nullptr) write_values(waiting);
    const Access& access = waiting.access;
    IRExpr* guard = access.guard;
    if (guard != nullptr && guard->tag == Iex_Const) {
        if (!guard->Iex.Const.con->Ico.U1) return;
        guard = nullptr;
    }
    if (guard != nullptr) {
        const u8 word = new_word(emit_.ite(guard, access.address, Emitter::u64c(0)));
        shape_.always = false;
        add_use(waiting, word, 0, word);
        return;
    }
    const Origin& origin = waiting.origin;
    if (origin.kind == Origin::AddressRoot::Static) {
        add_use(waiting, kNoWord, static_cast<i64>(origin.offset), marker_);
        return;
    }
    for (const Base& base : bases_)
        if (base.origin.root == origin.root) {
            add_use(waiting, base.word, static_cast<i64>(origin.offset - base.origin.offset), marker_);
            return;
        }
    const u8 word = new_word(access.address);
    bases_.push_back(Base{origin, word});
    add_use(waiting, word, 0, marker_);
}

void LogWriter::add_use(const Waiting& waiting, u8 word, i64 offset, u8 proof) {
    const Access& access = waiting.access;
    AccessUse use{};
    use.instruction = instruction_;
    use.offset = offset;
    use.ordinal = ordinal_ == kBefore ? u16{0} : static_cast<u16>(ordinal_);
    use.bytes = static_cast<u16>(access.bytes);
    use.word = word;
    use.proof = proof;
    use.loads = access.loads;
    use.stores = access.stores;
    use.atomic = waiting.atomic;
    use.vector = waiting.vector;
    use.sum = waiting.sum;
    use.update = waiting.update;
    use.values = waiting.values;
    use.compares = waiting.compares;
    log::add_use(shape_, use, policy().line_bytes);
}

}  // namespace memspy::instrument
