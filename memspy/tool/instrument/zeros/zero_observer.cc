// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/zero_observer.h"

#include "instrument/core/registers.h"

namespace memspy::instrument {
namespace {

bool marks_bytes = false;

bool counts_zeros() { return zero_hooks().site_of != nullptr; }

}  // namespace

void mark_loaded_bytes() { marks_bytes = true; }

ZeroObserver::ZeroObserver(Emitter& emit, const IRSB* in)
    : in_(in), counts_(counts_zeros()), zero_counts_(emit, in, types_), marker_(emit), frames_(emit, in) {}

void ZeroObserver::begin(int begin, int end) {
    end_ = end;
    types_.find(in_, frame_pointer_is_one());
    // Nobody can change the zeros of a mask, or of a table's entry, that code has in it.
    types_.note_constants(
        in_, [](Address a, usize bytes) { return !VG_(am_is_valid_for_client)(a, bytes, VKI_PROT_WRITE); });
    if (counts_) zero_counts_.begin(begin, end);
    frames_.may_enter();
}

void ZeroObserver::instruction(const IRStmt* mark) {
    instruction_ = instruction_address(mark);
    zero_counts_.instruction(mark);
    if (marks_bytes) frames_.instruction(instruction_);
}

void ZeroObserver::met(const IRStmt* statement) {
    if (marks_bytes) frames_.met(statement);
}

void ZeroObserver::before_exit(const IRStmt*) { zero_counts_.before_exit(); }

void ZeroObserver::loaded(int statement) {
    if (counts_) zero_counts_.loaded(statement);
}

void ZeroObserver::access(int statement, const Access& access, const Origin&) {
    const IRStmt* const s = in_->stmts[statement];
    if (!marks_bytes || !access.loads || (!is_value_load(s) && s->tag != Ist_Dirty)) return;
    ValueType type = types_.of(statement).type;
    // What is only copied may be of any type: its zero bytes are certain to be redundant, no others.
    if (!type.known()) type = ValueType(ElementKind::Integer, 1, type.load_bytes(), false);
    marker_.loaded(s, access, type);
}

void ZeroObserver::end_of_instruction() {
    zero_counts_.end_of_instruction();
    if (marks_bytes) frames_.end_of_instruction();
}

void ZeroObserver::before_call() { zero_counts_.end(); }

void ZeroObserver::behind_call(int next) {
    if (counts_) zero_counts_.begin(next, end_);
    frames_.may_enter();
}

void ZeroObserver::end(IRJumpKind jump) {
    zero_counts_.end();
    if (marks_bytes && jump == Ijk_Ret) frames_.returns();
}

extern const ObserverKind kZeros;
constexpr ObserverKind kZeros = {
    .is_on = [] { return marks_bytes || counts_zeros(); },
    .make = make_observer<ZeroObserver>,
    .unmake = unmake_observer<ZeroObserver>,
    // A loaded value is counted before a side exit.
    .at_exit = [] { return counts_zeros() ? ObserverKind::AtExit::OfLoads : ObserverKind::AtExit::Nothing; },
    .has_rare_form = [] { return counts_zeros() && !zero_hooks().contexts; }};

}  // namespace memspy::instrument
