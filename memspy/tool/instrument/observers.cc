// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/observers.h"

#include <algorithm>
#include <iterator>

#include "instrument/core/call_stacks.h"
#include "threads/frame_slots.h"
#include "vg/redirections.h"

namespace memspy::instrument {

#define MEMSPY_OBSERVER(kind) extern const ObserverKind kind;
#include "instrument/observers.def"
#undef MEMSPY_OBSERVER

namespace {

constexpr const ObserverKind* kKinds[] = {
#define MEMSPY_OBSERVER(kind) &kind,
#include "instrument/observers.def"
#undef MEMSPY_OBSERVER
};

// Whether `says` is true of a kind that is on and has it.
template <typename Says>
bool any_kind(Says says) {
    return std::any_of(std::begin(kKinds), std::end(kKinds),
                       [&](const ObserverKind* kind) { return kind->is_on() && says(*kind); });
}

bool is_any_on() {
    return any_kind([](const ObserverKind&) { return true; });
}

}  // namespace

Observers::Observers(Emitter& emit, const IRSB* in) : emit_(emit), in_(in), calls_(in) {
    if (!is_any_on()) return;
    // What the program does is observed, and not what the tool adds.
    if (vg::is_added_code(instruction_address(in->stmts[preamble_end(in)]))) return;
    for (const ObserverKind* kind : kKinds)
        if (kind->is_on()) running_.push_back({kind, kind->make(emit, in)});
}

Observers::~Observers() {
    for (const Running& each : running_) each.kind->unmake(each.observer);
}

void Observers::instruction(const IRStmt* mark) {
    tell(&Observer::instruction, mark);
    calls_.note(mark);
}

void Observers::met(const IRStmt* statement) {
    tell(&Observer::met, statement);
    calls_.note(statement);
}

void Observers::end_of_instruction(int next) {
    tell(&Observer::end_of_instruction);
    if (calls_.grows_from() != nullptr) emit_growth(emit_, calls_);
    if (!follows_calls() || !calls_.followed_call(next)) return;
    tell(&Observer::before_call);
    emit_call(emit_, calls_, instruction_address(in_->stmts[next]));
    tell(&Observer::behind_call, next);
}

void Observers::end(IRJumpKind jump) {
    tell(&Observer::end, jump);
    if (follows_calls()) emit_call_or_return(emit_, calls_, jump);
}

bool observes_anything() { return follows_calls() || is_any_on(); }

ObserverKind::AtExit observers_at_exit() {
    auto most = ObserverKind::AtExit::Nothing;
    for (const ObserverKind* kind : kKinds)
        if (kind->is_on() && kind->at_exit != nullptr) most = std::max(most, kind->at_exit());
    return most;
}

bool tell_observers_at_once() {
    return any_kind([](const ObserverKind& kind) { return kind.tells_at_once; });
}

bool have_observers_rare_form() {
    return any_kind(
        [](const ObserverKind& kind) { return kind.has_rare_form != nullptr && kind.has_rare_form(); });
}

bool must_begin(Address code, Address before) {
    return any_kind([&](const ObserverKind& kind) {
        return kind.must_begin != nullptr && kind.must_begin(code, before);
    });
}

void tell_tripped(u8* state, Address instruction) {
    for (const ObserverKind* kind : kKinds)
        if (kind->is_on() && kind->tripped != nullptr) kind->tripped(state, instruction);
}

void tell_full(u8* state) {
    for (const ObserverKind* kind : kKinds)
        if (kind->is_on() && kind->full != nullptr) kind->full(state);
}

}  // namespace memspy::instrument
