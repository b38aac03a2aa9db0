// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/line_ends.h"

#include "order/line_life.h"
#include "order/passing.h"
#include "order/rules.h"

namespace memspy::order {

void change_hands(Address begin, Address end) {
    lines().for_each_known(begin, end, [&](SharedLine& shared) {
        usize kept = 0;
        for (const OwnedBytes& owned : shared.use->owners)
            if (owned.until != kNever || owned.extent.end <= begin || owned.extent.begin >= end)
                shared.use->owners[kept++] = owned;
        shared.use->owners.resize(kept);
    });
}

namespace {

// The bytes of the line in [begin, end), which meets it.
u64 bytes_within(u64 line, Address begin, Address end) {
    const Address from = begin > line_begin(line) ? begin - line_begin(line) : 0;
    const Address to = end < line_end(line) ? end - line_begin(line) : 64;
    return (~u64{0} >> (64 - (to - from))) << from;
}

// Whether one thread has the line to itself, and had it from nobody.
bool is_its_own(LineState state) {
    constexpr u32 kHandedOver = LineState::kFromFirst | LineState::kCopyModelled | LineState::kNewModelled;
    return state.is_owned() && !state.is_calm() && !state.has(kHandedOver);
}

}  // namespace

void begin_anew(Address begin, Address end) {
    u32 owner = 0;
    const Strand* strand = nullptr;
    const u64 first = lines().line_of(begin + recording->options.line_bytes - 1);
    lines().for_each_line(first, lines().line_of(end), [&](LineState& state) {
        if (!is_its_own(state)) return;
        if (state.owner() != owner) {
            owner = state.owner();
            strand = strand_of(owner);
        }
        if (strand == nullptr ||
            recording->progress.is_past(strand->thread().slot, strand->ended(state.sequence()) + 1))
            state = LineState();
    });
}

void begin_on_stack_of(u32 former, Address top) {
    Strand* const strand = strand_of(former);
    if (strand != nullptr && !strand->is_gone()) return;
    const u64 end = lines().line_of(top);
    for (u64 line = end, last = end; line-- > 0 && last - line <= rules::kStackGap;) {
        LineState* const state = lines().find(line);
        if (state == nullptr || !state->is_owned_by(former) || !is_its_own(*state)) continue;
        last = line;
        follow_line(line);
        if (strand != nullptr) strand->leave(line);
        *state = LineState();
    }
}

void begin_on_stack(Thread t, Address top) {
    recording->stacks[t.serial] = top;
    if (!recording->options.counts) return;
    know_reader(t);
    const u64 end = lines().line_of(top);
    for (u64 line = end - rules::kFirstOnStack; line < end; ++line) {
        LineState& state = lines()[line];
        if (!state.is_untouched() || recording->options.touched_before(line_begin(line))) continue;
        state = LineState::exclusive(t.serial, LineState::kMerged);
        make_quiet(t, line);
    }
}

bool has_followed_word(const SharedLine& shared) {
    for (Address word = line_begin(shared.line); word < line_end(shared.line); word += 4)
        if (recording->own_locks.is_followed(word)) return true;
    return false;
}

void retire(Address begin, Address end) {
    if (begin >= end) return;
    const Time now = recording->latest;
    lines().for_each_known(begin, end, [&](SharedLine& shared) {
        if (LineState& state = lines()[shared.line]; state.is_resting()) end_rest(state, {}, kNever);
        shared.use->orders = false;
        if (knows_lives())
            shared.use->lives.reuse(bytes_within(shared.line, begin, end), recording->progress);
        Address a = begin > line_begin(shared.line) ? begin : line_begin(shared.line);
        const Address last = end < line_end(shared.line) ? end : line_end(shared.line);
        while (a < last) {
            OwnedBytes* owned = nullptr;
            for (OwnedBytes& candidate : shared.use->owners)
                if (candidate.until == kNever && candidate.extent.begin <= a && a < candidate.extent.end)
                    owned = &candidate;
            if (owned == nullptr) owned = &add_owner(shared, a);
            owned->until = now + 1;
            a = owned->extent.end;
        }
    });
    recording->clocks.forget(begin, end - begin);
    recording->semaphores.forget(begin, end - begin, recording->latest);
    recording->own_locks.forget(begin, end - begin);
    recording->observed.forget(begin, end - begin);
    log::quiet_lines().forget(begin, end);
    log::watched_lines().forget(begin, end);
    // A line need not be watched any longer for words that are gone.
    lines().for_each_known(begin, end, [&](SharedLine& shared) {
        const Address from = line_begin(shared.line), to = line_end(shared.line);
        shared.updated = shared.updated && has_followed_word(shared);
        if (shared.syncs)
            shared.syncs = shared.updated || recording->clocks.words().any_carries_time(from, to - from);
    });
}

}  // namespace memspy::order
