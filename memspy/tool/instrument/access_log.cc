// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/access_log.h"

#include <cstddef>

#include "instrument/call_tracking.h"
#include "instrument/instrument.h"
#include "instrument/registers.h"
#include "instrument/state_call.h"
#include "instrument/sums.h"
#include "log/quiet_lines.h"
#include "log/stations.h"
#include "log/word_sample.h"
#include "threads/call_tree.h"

namespace memspy::instrument {

using log::AccessUse;
using log::kNoWord;
using log::Segment;
using log::Shape;

// The word before the event counter holds the address to which the core goes when the counter runs out. It
// has no undefined bits.
Int cursor_offset() {
    return static_cast<Int>(offsetof(VexGuestArchState, host_EvC_FAILADDR)) + guest_layout().state_bytes;
}
Int call_top_offset() { return cursor_offset() + guest_layout().state_bytes; }

Int pause_offset() { return shadow_offset(static_cast<Int>(offsetof(VexGuestArchState, guest_CMSTART))); }

namespace {

void (*full)(u8* state) = nullptr;
u64 wanted_mask = 0;  // of the running thread's sample

template <typename T>
T& word_at(u8* state, Int offset) {
    return *reinterpret_cast<T*>(state + offset);
}

}  // namespace

void set_full_handler(void (*handler)(u8* state)) { full = handler; }

// Words of a longer record that was not kept may stand there.
void clear_head(u64* cursor) { cursor[0] = cursor[1] = 0; }

u64 begin_sample(const log::WordSample& sample, u64 follow_until) {
    wanted_mask = sample.mask_now;
    set_sample_mask(policy().follow_order && follow_until != 0 ? 0 : wanted_mask);
    return policy().follow_order ? sample.begin() : sample.counter;
}

namespace {

// A function that works on a lock ends, for the reader, at the first record that is not below it. So there must be
// one: all accesses are followed until then.
void follow_lock(u8* state, const log::Record& record, bool calls) {
    u64& within = word_at<u64>(state, follow_until_offset());
    if (calls ? within != 0 : threads::is_below(record.path, static_cast<threads::CallPath>(within))) return;
    within = calls ? static_cast<u64>(record.path) : 0;
    if (policy().pass_unsampled) return set_sample_mask(calls ? 0 : wanted_mask);
    u64& bit = word_at<u64>(state, quiet_bit_offset());
    bit = with_quiet_bit(static_cast<u32>(bit >> 32), calls);
}

// Whether all accesses of the record are quiet, though not in the thread's present age. They are passed in that from now on,
// and the record is not kept.
bool is_of_older_age(u8* state, const log::Record& record) {
    const auto bit = static_cast<u32>(word_at<u64>(state, quiet_bit_offset()));
    if (!policy().pass_quiet || bit == log::QuietLines::kNobody) return false;
    const log::QuickShape& quick = log::quick_shape(record.shape);
    if (!quick.is_plain) return false;
    log::QuietLines& lines = log::quiet_lines();
    const auto* const words = reinterpret_cast<const u64*>(&record);
    const auto for_each_line = [&](auto f) {
        const log::QuickSpan* span = quick.begin();
        for (const log::QuickSpan* const end = span + quick.whole.spans; span != end; ++span) {
            const Address first = static_cast<Address>(span->low) + words[span->place];
            if (span->reach >= policy().line_bytes) return false;
            if (!f(first, span->stores) || !f(first + span->reach, span->stores)) return false;
        }
        return true;
    };
    const bool older = for_each_line([&](Address a, bool stores) {
        return lines.are_loads_quiet(a, bit) && (!stores || lines.are_stores_quiet(a));
    });
    if (older)
        for_each_line([&](Address a, bool) {
            lines.renew(a, bit);
            return true;
        });
    return older;
}

// The record at the cursor has this number, that of the part that was executed, and is to be kept.
void keep_record(u8* state, u32 shape) {
    u64& cursor = word_at<u64>(state, cursor_offset());
    u64& pause = word_at<u64>(state, pause_offset());
    auto& record = *reinterpret_cast<log::Record*>(cursor);
    record.shape = shape;
    if (is_of_older_age(state, record)) return;
    const log::QuickShape& quick = log::quick_shape(shape);
    const bool samples = policy().pass_unsampled, orders = !samples || policy().follow_order;
    record.path = word_at<const CallFrame*>(state, call_top_offset())->path;
    const bool calls = orders && !quick.is_plain && log::shape(shape).event != log::LockEvent::None;
    if (calls || (orders && word_at<u64>(state, follow_until_offset()) != 0))
        follow_lock(state, record, calls);

    const log::QuickExit& own = quick.whole;
    const u64 accesses = samples ? own.word_accesses : u64{own.loads} + own.stores;
    const u64 before = pause - own.instructions * kInstruction - accesses;
    record.time = samples ? before : before / kInstruction;
    if (!samples) {
        log::add_passed(before % kInstruction);
        pause = 0;
    } else if (!policy().follow_order) {
        pause %= kInstruction;
    }
    cursor += log::record_words(shape) * sizeof(u64);
    clear_head(reinterpret_cast<u64*>(cursor));
    const bool is_due = samples && log::WordSample::is_due(pause);
    if ((cursor & log::kFullBit) != 0 || is_due || log::is_worth_reading(VG_(get_running_tid)(), record))
        full(state);
}

}  // namespace

// The record has the number of the whole one. If it is of an earlier superblock with the same instruction, its accesses
// were quiet, and they are told again.
void keep_tripped_record(u8* state, Address instruction) {
    if (policy().recording != AccessRecording::Log || !policy().passes_accesses()) return;
    const auto& record = *reinterpret_cast<const log::Record*>(word_at<u64>(state, cursor_offset()));
    if (record.shape == 0) return;
    const Shape& whole = log::shape(record.shape);
    Shape done;
    u16 executed = 0;
    for (const AccessUse& use : whole.uses) {
        if (use.instruction == instruction) {
            executed = use.ordinal;
            break;
        }
        log::add_use(done, use, policy().line_bytes);
    }
    if (executed == 0 || done.uses.empty()) return;
    done.words = whole.words;
    done.segments.push_back(Segment{kNoWord, executed});
    const u32 accesses = policy().pass_unsampled ? done.word_accesses : done.loads + done.stores;
    word_at<u64>(state, pause_offset()) += executed * kInstruction + accesses;
    keep_record(state, log::number_of_shape(done));
}

extern "C" [[gnu::used]] void memspy_keep_record(UWord shape, u8* state) {
    keep_record(state, static_cast<u32>(shape));
}
MEMSPY_STATE_HELPER(memspy_keep_record, 1);

LogWriter::LogWriter(Emitter& emit, const IRSB* in)
    : emit_(emit),
      in_(in),
      on_(policy().recording == AccessRecording::Log),
      samples_(policy().pass_unsampled),
      passes_(policy().passes_accesses()),
      quiet_(emit),
      sample_(emit) {}

void LogWriter::begin(Address first) {
    if (!on_) return;
    if (!passes_) return full_check(first);
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

// The record is kept, since it has more than accesses. Without an order to follow, a sample is of accesses only.
void LogWriter::keep() {
    if (!samples_)
        quiet_.keep();
    else if (policy().follow_order)
        sample_.keep();
}

// PUT(pause_offset) = pause + what was executed;  if (loud && leaves) memspy_keep_record(shape, state)
// `executed`: instructions of the record up to here; `leaves`: the condition of the exit before which this stands, or null.
void LogWriter::leave_record(u32 executed, IRExpr* leaves) {
    IRExpr* pause = pause_with(told_ + executed, told_accesses_ + accesses_so_far());
    IRExpr* guard = is_kept(pause);
    if (told_ + executed != 0) emit_.put(pause_offset(), pause);
    if (guard->tag == Iex_Const) {
        guard = leaves;
    } else {
        guard = emit_.unop(samples_ ? Iop_CmpNEZ64 : Iop_CmpNEZ32, guard);
        if (leaves != nullptr) guard = emit_.binop(Iop_And1, guard, leaves);
    }
    shape_.segments.clear();
    shape_.segments.push_back(Segment{kNoWord, static_cast<u16>(executed)});
    IRDirty* call = unsafeIRDirty_0_N(0, "memspy_keep_record",
                                      VG_(fnptr_to_fnentry)(MEMSPY_STATE_ENTRY(memspy_keep_record)),
                                      arguments_and_state(Emitter::u64c(log::number_of_shape(shape_))));
    if (guard != nullptr) call->guard = guard;
    declare_effect(call, guest_layout().stack_pointer);
    emit_.add(IRStmt_Dirty(call));
}

// if (cursor & kFullBit) goto the log site of first
void LogWriter::full_check(Address first) {
    IRExpr* full = emit_.binop(Iop_And64, emit_.get(cursor_offset(), Ity_I64), Emitter::u64c(log::kFullBit));
    IRExpr* leave = emit_.unop(Iop_CmpNEZ64, full);
    emit_.add(IRStmt_Exit(leave, Ijk_Boring, IRConst_U64(log_site(first)), guest_layout().program_counter));
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

bool LogWriter::is_lock_call(Address code, Address before) {
    return code != before && policy().recording == AccessRecording::Log &&
           (!policy().pass_unsampled || policy().follow_order) && policy().lock_call != nullptr &&
           policy().lock_call(code).event != log::LockEvent::None;
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
    const log::LockCall call = policy().lock_call(function);
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
}

void LogWriter::instruction(const IRStmt* mark) {
    if (!on_) return;
    instruction_ = instruction_address(mark);
    if (is_lock_call(instruction_, instruction_end_)) lock_call(instruction_);
    instruction_end_ = instruction_ - mark->Ist.IMark.delta + mark->Ist.IMark.len;
    // At most this many bytes are needed for one instruction.
    constexpr u32 kMostOfInstruction = 40;
    if (open_ && shape_.words + kMostOfInstruction > log::kMostWords) end_record();
    ++ordinal_;
}

void LogWriter::access(Int number, const Access& access, const Origin& origin) {
    if (!on_) return;
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
    const bool atomic =
        (statement->tag == Ist_CAS && !is_fence(statement, origin)) || statement->tag == Ist_LLSC;
    waiting_.push_back(Waiting{access, origin, atomic, loads_vector(in_, number),
                               access.stores ? sum_kind(in_, statement) : log::SumKind::None,
                               update_kind(in_, statement)});
}

void LogWriter::before_exit(const IRStmt* exit) {
    if (!on_) return;
    // Memory that is not aligned, which most accesses of vectors are asked for. If accesses are passed, the record is lost as
    // at any other fault.
    const IRJumpKind kind = exit->Ist.Exit.jk;
    if (passes_ && (kind == Ijk_SigSEGV || kind == Ijk_SigBUS)) return;
    flush();
    if (!open_)
        tell_pause(executed_at(exit));
    else if (exit == last_exit_)
        finish_record();
    else if (passes_)
        leave_record(executed_at(exit), exit->Ist.Exit.guard);
}

// cursor[word] = 1
void LogWriter::passed_exit(const IRStmt* exit) {
    if (!on_ || !open_ || passes_) return;
    shape_.segments.push_back(Segment{marker_, executed_at(exit)});
    marker_ = new_word(Emitter::u64c(1));
}

void LogWriter::end_of_instruction() {
    if (on_) flush();
}

void LogWriter::end(bool yields) {
    if (!on_) return;
    if (yields && !open_) begin_record();
    yielding_ = yields;
    if (open_ || !waiting_.empty())
        finish_record();
    else
        tell_pause(executed_so_far());
}

void LogWriter::end_record() {
    if (!on_) return;
    flush();
    if (!open_) return tell_pause(executed_so_far());
    finish_record();
}

void LogWriter::finish_record() {
    flush();
    const u16 executed = executed_so_far();
    shape_.yields = yielding_;
    shape_.may_spin = !yielding_ && shape_.stores == 0 && policy().spins_without_hint != nullptr &&
                      policy().spins_without_hint(instruction_);
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
    for (const Waiting& waiting : waiting_) {
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

// Writes nothing for an access to a constant address, or off a base that the record already has. Otherwise:
// cursor[word] = guard ? address : 0
void LogWriter::write(const Waiting& waiting) {
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
    log::add_use(shape_, use, policy().line_bytes);
}

}  // namespace memspy::instrument
