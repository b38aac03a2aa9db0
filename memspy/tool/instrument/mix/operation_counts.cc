// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/mix/operation_counts.h"

#include <cstddef>

#include "instrument/core/policy.h"
#include "instrument/core/registers.h"

namespace memspy::instrument {

u64* running_counters[kMostCounterPieces];
Predictor* running_predictor;

namespace {

bool counts = false;
void (*new_piece)() = nullptr;
u32 known_pieces = 0;

// The word has no undefined bits, so its copy in the first shadow is free.
Int segment_offset() { return shadow_offset(static_cast<Int>(offsetof(VexGuestArchState, guest_CMLEN))); }

void note_pieces() {
    if (counter_pieces() == known_pieces) return;
    known_pieces = counter_pieces();
    new_piece();
}

Address length_of(const IRStmt* mark) { return mark->Ist.IMark.len; }

// Whether the instruction behind statement `end` of the block is not the next one in memory; for a
// conditional branch without an exit.
bool leaves_line(const IRSB* block, int end, Address next) {
    if (end < block->stmts_used) return instruction_address(block->stmts[end]) != next;
    return block->next->tag != Iex_Const || block->next->Iex.Const.con->Ico.U64 != next;
}

// A check inside a segment tripped: what it began to count has not all run.
void trip_in_segment(u8* state, Address instruction) {
    const u32 running = *reinterpret_cast<const u32*>(state + segment_offset());
    if (running == kNoCounter) return;
    const u32 before = counter_before(running, instruction);
    note_pieces();
    --running_counters[running / kCountersOfPiece][running % kCountersOfPiece];
    if (before != kNoCounter) ++running_counters[before / kCountersOfPiece][before % kCountersOfPiece];
}

}  // namespace

void set_new_piece_handler(void (*made)()) { new_piece = made; }

void count_operations() { counts = true; }

void OperationCounts::begin(int begin, int end) {
    rt::Vector<SegmentStep> steps;
    const LoadedAddresses loaded(in_);
    for (int mark = begin; mark < end;) {
        int next = mark + 1;
        while (next < in_->stmts_used && in_->stmts[next]->tag != Ist_IMark) ++next;
        plan_instruction(mark, next, loaded, steps);
        mark = next;
    }
    close_segment(steps);
    note_pieces();
    count_next();
}

void OperationCounts::plan_instruction(int mark, int end, const LoadedAddresses& loaded,
                                       rt::Vector<SegmentStep>& steps) {
    const IRStmt* const head = in_->stmts[mark];
    const Address address = instruction_address(head);
    const Address next = static_cast<Address>(head->Ist.IMark.addr) + length_of(head);
    const bool is_branch = flow_of(reinterpret_cast<const u8*>(head->Ist.IMark.addr)) == CodeFlow::Branch;
    bool exits = false;
    for (int from = mark, i = mark + 1; i <= end; ++i) {
        const IRStmt* const s = i < end ? in_->stmts[i] : nullptr;
        if (s != nullptr && s->tag != Ist_Exit) continue;
        InstructionCounts operation = operation_of(in_, mark, end, from, i);
        for (int at = from; at < i; ++at)
            if (loaded.at(at)) ++operation[OperationCount::LoadedAddresses];
        if (s == nullptr && is_branch && !exits)
            operation[leaves_line(in_, end, next) ? OperationCount::StaticallyTaken
                                                  : OperationCount::StaticallyPassed] = 1;
        if (operation != InstructionCounts{}) steps.push_back({address, number_of_operation(operation)});
        if (s == nullptr) break;
        exits = true;
        if (is_branch && s->Ist.Exit.jk == Ijk_Boring)
            branches_.push_back({s, address, s->Ist.Exit.dst->Ico.U64 != next});
        close_segment(steps);
        from = i + 1;
    }
}

void OperationCounts::close_segment(rt::Vector<SegmentStep>& steps) {
    segments_.push_back(counter_of_segment(steps.data(), static_cast<u32>(steps.size())));
    steps.resize(0);
}

IRExpr* OperationCounts::base_of(u32 counter) {
    const u32 piece = counter / kCountersOfPiece;
    IRExpr*& base = pieces_[piece % kPiecesKept];
    if (base == nullptr || kept_[piece % kPiecesKept] != piece) {
        base = emit_.load(Ity_I64, Emitter::pointer(&running_counters[piece]));
        kept_[piece % kPiecesKept] = piece;
    }
    return base;
}

// base[offset] += amount. The address is computed twice, so that the instruction selector can fold it into
// both instructions.
void OperationCounts::add_to(IRExpr* base, u64 offset, IRExpr* amount) {
    auto address = [&] { return emit_.binop(Iop_Add64, base, Emitter::u64c(offset)); };
    emit_.store(address(), emit_.binop(Iop_Add64, emit_.load(Ity_I64, address()), amount));
}

// counters[segment] += 1;  PUT(segment_offset) = segment
void OperationCounts::count_next() {
    const u32 counter = segments_[next_++];
    if (counter != kNoCounter)
        add_to(base_of(counter), u64{counter % kCountersOfPiece} * sizeof(u64), Emitter::u64c(1));
    if (policy().check_accesses) emit_.put(segment_offset(), Emitter::u32c(counter));
}

void OperationCounts::before_exit(const IRStmt* exit) {
    for (const ExitBranch& branch : branches_)
        if (branch.exit == exit) return predict(branch);
}

// Emits what mispredicts() does, and counts[taken, wrong] += 1.
void OperationCounts::predict(const ExitBranch& branch) {
    const u32 counter = counter_of_branch(branch.address);
    if (counter == kNoCounter) return;
    note_pieces();
    IRExpr* guard = emit_.unop(Iop_1Uto64, branch.exit->Ist.Exit.guard);
    IRExpr* taken = branch.exit_is_taken ? guard : emit_.binop(Iop_Xor64, guard, Emitter::u64c(1));
    IRExpr* predictor = emit_.load(Ity_I64, Emitter::pointer(&running_predictor));
    IRExpr* history = emit_.load(Ity_I64, predictor);
    IRExpr* index =
        emit_.binop(Iop_And64, emit_.binop(Iop_Xor64, history, Emitter::u64c(predictor_bits(branch.address))),
                    Emitter::u64c(kPredictorCounters - 1));
    IRExpr* row = emit_.binop(Iop_Add64, emit_.binop(Iop_Add64, predictor, index),
                              Emitter::u64c(offsetof(Predictor, counters)));
    IRExpr* state = emit_.unop(Iop_8Uto64, emit_.load(Ity_I8, row));
    IRExpr* wrong = emit_.binop(Iop_Xor64, emit_.binop(Iop_Shr64, state, Emitter::u8c(1)), taken);
    IRExpr* entry = emit_.binop(Iop_Or64, emit_.binop(Iop_Shl64, taken, Emitter::u8c(2)), state);
    IRExpr* shift = emit_.unop(Iop_64to8, emit_.binop(Iop_Shl64, entry, Emitter::u8c(1)));
    IRExpr* next = emit_.binop(
        Iop_And64, emit_.binop(Iop_Shr64, Emitter::u64c(packed_next_counters()), shift), Emitter::u64c(3));
    emit_.store(row, emit_.unop(Iop_64to8, next));
    emit_.store(predictor, emit_.binop(Iop_Or64, emit_.binop(Iop_Shl64, history, Emitter::u8c(1)), taken));
    IRExpr* outcome = emit_.binop(Iop_Or64, emit_.binop(Iop_Shl64, taken, Emitter::u8c(1)), wrong);
    IRExpr* base = emit_.binop(Iop_Add64, base_of(counter), emit_.binop(Iop_Shl64, outcome, Emitter::u8c(3)));
    add_to(base, u64{counter % kCountersOfPiece} * sizeof(u64), Emitter::u64c(1));
}

// counters[the access] += guard ? 1 : 0
void OperationCounts::access(int, const Access& access, const Origin&) {
    if (access.guard == nullptr) return;
    InstructionCounts operation;
    if (access.loads) {
        operation[OperationCount::Loads] = 1;
        operation[OperationCount::LoadedBytes] = static_cast<u16>(access.bytes);
    }
    if (access.stores) {
        operation[OperationCount::Stores] = 1;
        operation[OperationCount::StoredBytes] = static_cast<u16>(access.bytes);
    }
    const SegmentStep step{instruction_, number_of_operation(operation)};
    const u32 counter = counter_of_segment(&step, 1);
    if (counter == kNoCounter) return;
    note_pieces();
    add_to(base_of(counter), u64{counter % kCountersOfPiece} * sizeof(u64),
           emit_.unop(Iop_1Uto64, access.guard));
}

extern const ObserverKind kOperations;
constexpr ObserverKind kOperations = {.is_on = [] { return counts; },
                                      .make = make_observer<OperationCounts>,
                                      .unmake = unmake_observer<OperationCounts>,
                                      // The part of an instruction before one of its exits has been counted.
                                      .at_exit = [] { return ObserverKind::AtExit::Always; },
                                      .tripped = trip_in_segment};

}  // namespace memspy::instrument
