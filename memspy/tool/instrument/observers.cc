// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/observers.h"

#include "instrument/instrument.h"

namespace memspy::instrument {

Observers::Observers(Emitter& emit, const IRSB* in)
    : emit_(emit),
      in_(in),
      log_(emit, in),
      calls_(in),
      marker_(emit),
      zeros_(emit, in, types_),
      touch_(emit, in),
      operations_(emit, in) {}

void Observers::begin(int begin, int end) {
    end_ = end;
    log_.begin(instruction_address(in_->stmts[begin]));
    if (policy().zero_counts || policy().zero_bytes) types_.find(in_, frame_pointer_is_one());
    zeros_.begin(begin, end);
    touch_.begin(begin, end);
    operations_.begin(begin, end);
}

void Observers::instruction(const IRStmt* mark) {
    instruction_ = instruction_address(mark);
    log_.instruction(mark);
    zeros_.instruction(mark);
    calls_.note(mark);
}

void Observers::before_exit(const IRStmt* exit) {
    log_.before_exit(exit);
    zeros_.before_exit();
    operations_.before_exit(exit);
}

void Observers::passed_exit(const IRStmt* exit) {
    log_.passed_exit(exit);
    operations_.passed_exit();
}

void Observers::loaded(int statement) { zeros_.loaded(statement); }

void Observers::access(int statement, const Access& access, const Origin& origin) {
    const IRStmt* s = in_->stmts[statement];
    touch_.emitted(statement);
    log_.access(statement, access, origin);
    operations_.access(access, instruction_);
    if (!marker_.is_on()) return;
    ValueType type = types_.of(statement).type;
    // Of a copy only zero bytes are certain to be redundant, whatever the width is. Compilers copy structures in
    // vectors, whose type nothing shows then.
    const bool copies_any_type =
        policy().copies_any_type != nullptr && policy().copies_any_type(instruction_);
    if (!type.known() && (type.lanes() > 1 || copies_any_type))
        type = ValueType(ElementKind::Integer, 1, type.load_bytes(), false);
    marker_.loaded(s, access, type);
}

void Observers::end_of_instruction(int next) {
    log_.end_of_instruction();
    zeros_.end_of_instruction();
    if (policy().follow_calls && calls_.followed_call(next)) around_call(next);
}

// Code behind the call has another call path.
void Observers::around_call(int next) {
    log_.end_record();
    zeros_.end();
    emit_call(emit_, calls_, instruction_address(in_->stmts[next]));
    zeros_.begin(next, end_);
}

void Observers::end(IRJumpKind jump) {
    log_.end(jump == Ijk_Yield);
    zeros_.end();
    if (policy().follow_calls) emit_call_or_return(emit_, calls_, jump);
}

}  // namespace memspy::instrument
