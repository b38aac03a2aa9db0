// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls on semaphores in a thread's log: which tokens it posts and takes, and how many there are.
#include "order/recording.h"

namespace memspy::order {

using log::LockEvent;
using threads::CallPath;

namespace {

// The value in a semaphore's first word: musl's is -1 while threads wait, or has a bit for that.
u32 value_in(u32 word) {
    constexpr u32 kTokens = ~u32{0} >> 1;
    return word == ~u32{0} ? 0 : word & kTokens;
}

}  // namespace

// How often the thread has updated the semaphore in the call.
void Strand::count_updates(const Record& record) {
    LockFunction& in = lock_functions_.back();
    constexpr u32 kWord = 8;
    for (const AccessUse& use : log::shape(record.shape).uses)
        if (use.atomic && use.stores && happened(record, use) &&
            record.address(use.word, use.offset) - in.lock < kWord)
            ++in.updates;
}

// Looks up how many tokens the semaphores have that this reading met. A token that a thread has taken in a
// call counts until it leaves the call (take_token). Until it has one the semaphore counts it as waiting, or
// it has not updated it.
void Strand::count_tokens() {
    constexpr u32 kWaiting = 4;  // where the number of those waiting is
    for (const Address a : semaphores_) {
        u32 value = 0, waiting = 0;
        if (recording->options.read_word == nullptr || !recording->options.read_word(a, &value) ||
            !recording->options.read_word(a + kWaiting, &waiting))
            continue;
        i64 tokens = value_in(value) - i64{waiting};
        for (const Strand* strand : recording->strands) tokens += strand->has_updated(a) ? 1 : 0;
        recording->merge.add_tokens(
            recording->semaphores.number_of(a),
            recording->semaphores.set_tokens(a, tokens < 0 ? 0 : static_cast<u32>(tokens)));
    }
    semaphores_.resize(0);
}

void Strand::push_token(Step::StepKind kind, Address semaphore, CallPath path, Time now) {
    Step step;
    step.kind = kind;
    step.time = now;
    step.lock = semaphore;
    step.semaphore = recording->semaphores.number_of(semaphore);
    if (kind == Step::StepKind::Take) step.turn = Step::kNotYet;
    step.place = {0, path};
    push(step);
}

// The thread leaves the innermost function, where it may have taken a token. One that does not wait, and gets
// none, changes nothing. One that waits adds itself to the waiting ones first.
void Strand::take_token(Time now) {
    const LockFunction& in = lock_functions_.back();
    if (in.event == LockEvent::TryTake) {
        if (in.updates == 0 || (in.updates > 1 && !recording->clocks.was_woken(thread_))) return;
        push_token(Step::StepKind::Take, in.lock, in.path, now);
    }
    const u32 other = recording->semaphores.take(in.lock);
    const u64 number = recording->semaphores.number_of(in.lock);
    for (usize i = steps_.size(); i-- > next_step_;) {
        Step& step = steps_[i];
        if (step.kind != Step::StepKind::Take || step.semaphore != number) continue;
        step.other = other;
        step.turn = next_turn();
        if (i == next_step_ && at_step_) recording->merge.tell_taken(thread_.serial, other, step.turn);
        return;
    }
}

// It is in a call that takes a token, and has updated the semaphore.
bool Strand::has_updated(Address semaphore) const {
    return is_in_take() && lock_functions_.back().lock == semaphore && lock_functions_.back().updates != 0 &&
           !gone_;
}

}  // namespace memspy::order
