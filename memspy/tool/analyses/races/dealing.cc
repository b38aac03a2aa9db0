// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/dealing.h"

namespace memspy::races {

WorkDealing::Asker& WorkDealing::state_of(u32 thread) {
    while (states_.size() <= thread) states_.push_back({});
    return states_[thread];
}

void WorkDealing::asks(u32 thread, u32 times) {
    Asker& state = state_of(thread);
    state.asks = true;
    state.times = times;
    state.since = blocks_;
}

// The one that has had least. Of those that have had none, who began the region comes first: what it does behind a lock
// that all take is before nobody then. Of those that have had as much, the last one: the region's own thread has had
// the first iterations, which programs like to look at in `single`.
bool WorkDealing::is_next(u32 thread) const {
    const Asker& state = states_[thread];
    for (u32 i = 0; i < states_.size(); ++i) {
        if (i == thread || !states_[i].asks) continue;
        if (states_[i].times < state.times) return false;
        if (states_[i].times == state.times && (state.times == 0 ? i < thread : i > thread)) return false;
    }
    return true;
}

bool WorkDealing::is_one_called() const {
    for (u32 i = 0; i < states_.size(); ++i)
        if (states_[i].is_called) return true;
    return false;
}

bool WorkDealing::must_wait(u32 thread, u32 waited, u32 wanting) {
    if (thread >= states_.size() || !states_[thread].asks) return false;
    if (waited >= kLongest) {
        // Whoever was called has something else to do.
        for (u32 i = 0; i < states_.size(); ++i) states_[i].is_called = false;
        return false;
    }
    if (is_one_called()) return true;
    if (blocks_ - states_[thread].since >= kMostBlocks) return false;
    return wanting != 0 || !is_next(thread);
}

void WorkDealing::starts(u32 thread, u64 blocks) {
    blocks_ = blocks;
    Asker& state = state_of(thread);
    state.asks = state.is_called = false;
}
void WorkDealing::is_made(u32 thread) {
    state_of(thread) = {};
    state_of(thread).is_called = true;
}
void WorkDealing::ends(u32 thread) { state_of(thread) = {}; }

void WorkDealing::sleeps(u32 thread, Address word) {
    Asker& state = state_of(thread);
    state.sleeps_at = word;
    state.asks = state.is_called = false;
}
void WorkDealing::wakes(Address word, u64 most) {
    for (u32 i = 0; i < states_.size() && most != 0; ++i) {
        Asker& state = states_[i];
        if (state.sleeps_at != word || state.is_called) continue;
        state.is_called = true;
        --most;
    }
}
void WorkDealing::returns(u32 thread, bool woken) {
    Asker& state = state_of(thread);
    const Address word = state.sleeps_at;
    const bool was_called = state.is_called;
    state.sleeps_at = 0;
    state.is_called = false;
    if (!woken || was_called) return;
    // The system has woken this one in another one's place.
    for (u32 i = 0; i < states_.size(); ++i)
        if (states_[i].is_called && states_[i].sleeps_at == word) {
            states_[i].is_called = false;
            return;
        }
}

}  // namespace memspy::races
