// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/dealing.h"

namespace memspy::races {

WorkDealing::Asker& WorkDealing::state_of(u32 thread) {
    while (states_.size() <= thread) states_.push_back({});
    return states_[thread];
}

void WorkDealing::asks_for(u32 thread, u32 times, u64 most_blocks) {
    Asker& state = state_of(thread);
    state.asks = true;
    state.times = times;
    state.until = blocks_ + most_blocks;
}

void WorkDealing::asks(u32 thread, u32 times) { asks_for(thread, times, kMostBlocks); }

void WorkDealing::is_dealt_by_runtime() { dealt_by_runtime_ = true; }

void WorkDealing::yields(u32 thread) {
    Asker& state = state_of(thread);
    if (state.asks || !has_short_slices(state)) return;
    --state.short_left;
    asks_for(thread, ++state.slices, kSlice);
}

void WorkDealing::slice_ends(u32 thread) {
    Asker& state = state_of(thread);
    const u32 slice = state.slice;
    state.slice = 0;
    state.is_new = false;
    if (slice == 0 || state.asks) return;  // it was cut short where the thread asked
    blocks_ += slice;
    if (state.asks_at_end) asks_for(thread, state.slices, kSlice);
}

bool WorkDealing::waits_for_maker(const Asker& state) const {
    return state.maker != 0 && blocks_ < state.until && !states_[state.maker].may_sleep;
}

// The one that has had least. Of those that have had none, who began the region comes first: what it does behind a lock
// that all take is before nobody then. Of those that have had as much, the last one: the region's own thread has had
// the first iterations, which programs like to look at in `single`.
bool WorkDealing::is_next(u32 thread) const {
    const Asker& state = states_[thread];
    for (u32 i = 0; i < states_.size(); ++i) {
        if (i == thread || !states_[i].asks || waits_for_maker(states_[i])) continue;
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
    if (blocks_ >= states_[thread].until) return false;
    if (waits_for_maker(states_[thread])) return true;
    return wanting != 0 || !is_next(thread);
}

void WorkDealing::starts(u32 thread) {
    Asker& state = state_of(thread);
    if (state.asks) state.maker = 0;
    state.asks = state.is_called = false;
}

u32 WorkDealing::slice_of(u32 thread, u32 most) {
    Asker& state = state_of(thread);
    if (state.slice != 0) return state.slice;
    state.slice = state.is_new ? 1 : kSlice;
    if (!state.is_new && has_short_slices(state)) {
        --state.short_left;
        // Of all lengths, so that some end between two pieces of any length; the same for all threads.
        constexpr u32 kShortest = 8, kLongerBy = 120, kSpread = 2'654'435'761;
        state.slice = kShortest + ((++state.slices * kSpread) >> 8) % kLongerBy;
    }
    state.asks_at_end = state.slice < kSlice;
    if (state.slice > most) state.slice = most;
    return state.slice;
}

void WorkDealing::is_made(u32 thread, u32 maker) {
    state_of(maker);
    Asker& state = state_of(thread) = {};
    state.is_called = true;
    if (dealt_by_runtime_) return;
    state.is_new = true;
    state.maker = maker;
}
void WorkDealing::ends(u32 thread) { state_of(thread) = {}; }

void WorkDealing::calls(u32 thread, bool may_wait) {
    Asker& state = state_of(thread);
    state.may_sleep = may_wait;
    state.is_called = !may_wait;
}
void WorkDealing::has_called(u32 thread) { state_of(thread).may_sleep = state_of(thread).is_called = false; }

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
    if (woken && state.short_left < kShortWhenWoken) state.short_left = kShortWhenWoken;
    if (!woken || was_called) return;
    // The system has woken this one in another one's place.
    for (u32 i = 0; i < states_.size(); ++i)
        if (states_[i].is_called && states_[i].sleeps_at == word) {
            states_[i].is_called = false;
            return;
        }
}

}  // namespace memspy::races
