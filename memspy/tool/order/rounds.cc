// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines that threads come back to: what a thread did in its last round there, it is taken to do again.
#include <algorithm>
#include <new>

#include "order/habits.h"
#include "order/line_life.h"
#include "order/passing.h"

namespace memspy::order {

namespace {

constexpr u32 kMostSlots = Habits::kMostSlots;

Habit* habit_of(SharedLine& shared, Thread t) {
    if (shared.habits == nullptr || t.slot >= kMostSlots) return nullptr;
    Habit* const habit = shared.habits->find(t.slot);
    return habit != nullptr && habit->serial == t.serial ? habit : nullptr;
}

// The same; makes an entry if the thread has none: then others of the line move. Only for slots below
// kMostSlots.
Habit& habit_for(SharedLine& shared, Thread t) {
    if (Habit* const known = habit_of(shared, t)) return *known;
    Habits* const old = shared.habits;
    if (old == nullptr || old->find(t.slot) == nullptr) {
        const u32 slots = (old == nullptr ? 0 : old->slots) | u32{1} << t.slot;
        shared.habits = new (line_memory().take(Habits::bytes(slots))) Habits{.slots = slots};
        if (old != nullptr) {
            shared.habits->stored_until = old->stored_until;
            Habit* const place = shared.habits->find(t.slot);
            Habit* const behind = old->begin() + (place - shared.habits->begin());
            std::copy(old->begin(), behind, shared.habits->begin());
            std::copy(behind, old->end(), place + 1);
            line_memory().give(old, Habits::bytes(old->slots));
        }
    }
    Habit* const habit = shared.habits->find(t.slot);
    *habit = Habit{.serial = t.serial};
    return *habit;
}

// The thread is taken to do to the line what it did in the last round that was logged whole.
void follow_habit(SharedLine& shared, View view, Thread t, const Habit& habit, bool stores) {
    Ownership& order = *shared.order[static_cast<u32>(view)];
    add_read(order, t, habit.used);
    if (stores && is_only_holder(order, t)) add_written(order, t, habit.stored);
}

}  // namespace

void begin_round(SharedLine& shared, Thread t, const Events& events) {
    if (!log::quiet_lines().is_on() || t.slot >= kMostSlots || recording->options.line_bytes != 64) return;
    if (!shared.has_habits()) {
        // A thread that has just begun does not come back.
        if (!events.first_touch) ++shared.returns;
        return;
    }
    shared.restful = 0;
    Habit& habit = habit_for(shared, t);
    if (habit.begin_round(events.used_before, events.stored_before))
        follow_habit(shared, View::Modelled, t, habit, habit.passed_stores);
}

namespace {

struct Passable {
    bool loads = false;
    bool ahead = false;  // of the round that begins with an access which is still to be merged
    Habit* habit = nullptr;
};

// Whether loads of the line by t, which is about to load it, teach nothing from now on.
Passable passable(SharedLine& shared, Thread t, u32 bit) {
    if (bit == QuietLines::kNobody || shared.syncs ||
        log::quiet_lines().are_loads_quiet(line_begin(shared.line), bit) || lacks_accesses(shared) ||
        shared.turns.any_stores_of_others(t.slot, kNever, merged_at(shared)))
        return {};
    // A store of its own that is still to be merged begins a round, too.
    const bool ahead = !holds(*shared.order[static_cast<u32>(View::Modelled)], t) ||
                       shared.turns.any_stores(merged_at(shared));
    if (!shared.has_habits()) return {.loads = !ahead};
    Habit* const habit = habit_of(shared, t);
    if (habit == nullptr || !habit->is_known()) return {};
    return {.loads = true, .ahead = ahead, .habit = habit};
}

}  // namespace

namespace {

// What the thread passes of the line ends with its next wait.
void pass_until_wait(const SharedLine& shared, Habit& habit, rt::Vector<u64>& lines_passed) {
    if (habit.listed) return;
    habit.listed = true;
    lines_passed.push_back(shared.line);
}

// What the thread does to the line in a round is taken from its habit.
void pass_by_habit(SharedLine& shared, Thread t, bool ahead, Habit& habit, bool stores) {
    if (ahead) {
        habit.ahead = true;
        habit.ahead_stores |= stores;
    } else if (!habit.passed || (stores && !habit.passed_stores)) {
        habit.passed = true;
        habit.passed_stores |= stores;
        follow_habit(shared, View::Modelled, t, habit, stores);
    }
    follow_habit(shared, View::Observed, t, habit, stores);
}

// The habit of t to store to the line, if these bytes are among those that it stores and what it does to the
// line from then on teaches nothing, if it alone holds the line then. `time`: of the store, by its clock.
Habit* habit_of_stores(SharedLine& shared, Thread t, u32 bit, Time time, u64 bytes) {
    if (bit == QuietLines::kNobody || t.slot >= kMostSlots || shared.syncs || shared.updated ||
        shared.use->orders || !shared.has_habits())
        return nullptr;
    Habit* const habit = habit_of(shared, t);
    if (habit == nullptr || !habit->is_known() || (bytes & ~habit->stored) != 0) return nullptr;
    // Where threads wait for locks, others come to the line at other times than their clocks say: too much
    // might be missing.
    if (recording->merge.delayed() || lacks_accesses(shared)) return nullptr;
    return shared.turns.any_of_others_behind(t.slot, time, merged_at(shared)) ? nullptr : habit;
}

}  // namespace

void pass_stores(SharedLine& shared, Thread t, u32 bit, Time time, u64 bytes, rt::Vector<u64>& lines_passed) {
    const Address a = line_begin(shared.line);
    if (bit == QuietLines::kNobody ||
        (log::quiet_lines().are_stores_quiet(a) && log::quiet_lines().are_loads_quiet(a, bit)))
        return;
    Habit* const habit = habit_of_stores(shared, t, bit, time, bytes);
    if (habit == nullptr || !is_only_holder(*shared.order[static_cast<u32>(View::Observed)], t) ||
        ++shared.looks < accesses_to_pass(shared))
        return;
    habit->stores = true;
    const bool ahead = !is_only_holder(*shared.order[static_cast<u32>(View::Modelled)], t) ||
                       shared.turns.any_stores(merged_at(shared)) ||
                       shared.turns.any_of_others(t.slot, kNever, merged_at(shared));
    pass_by_habit(shared, t, ahead, *habit, true);
    if (knows_lives()) touch_life(shared.use->lives, t, time, habit->used, habit->stored);
    log::quiet_lines().make_quiet(a, bit);
    pass_until_wait(shared, *habit, lines_passed);
}

void pass_loads(SharedLine& shared, Thread t, u32 bit, rt::Vector<u64>& lines_passed) {
    const auto [loads, ahead, habit] = passable(shared, t, bit);
    if (!loads || ++shared.looks < accesses_to_pass(shared)) return;
    if (habit != nullptr) pass_by_habit(shared, t, ahead, *habit, false);
    log::quiet_lines().make_loads_quiet(line_begin(shared.line), bit);
    if (t.slot < kMostSlots && !is_only_holder(*shared.order[static_cast<u32>(View::Observed)], t))
        pass_until_wait(shared, habit_for(shared, t), lines_passed);
}

bool passes_when_read(Thread t, const Record& record) {
    const log::QuickShape& quick = log::quick_shape(record.shape);
    const u32 bit = quick.is_plain ? known_bit(t.serial) : 0;
    if (bit == 0) return false;
    const u64* const at = reinterpret_cast<const u64*>(&record);
    const log::QuickSpan* span = quick.begin();
    for (const log::QuickSpan* const end = span + quick.whole.spans; span != end; ++span) {
        const Address a = static_cast<Address>(span->low) + at[span->place];
        const LineState state = lines().look(a);
        if (!state.is_shared()) continue;
        SharedLine& shared = lines().of(state);
        if (span->stores) {
            if (log::quiet_lines().are_stores_quiet(a)) continue;
            const u64 bytes = (~u64{0} >> (63 - (span->reach & 63))) << (a & 63);
            if (habit_of_stores(shared, t, bit, recording->clocks.now(t), bytes) == nullptr) continue;
        } else if (!passable(shared, t, bit).loads) {
            continue;
        }
        if (shared.looks + 1 >= accesses_to_pass(shared)) return true;
    }
    return false;
}

void end_with_next_wait(SharedLine& shared, u32 serial) {
    const u32 bits = serial == 0 ? 0 : known_bits(serial);
    if (bits == 0 || (log::quiet_lines().quiet_for(line_begin(shared.line)) & bits) == 0) return;
    for (Strand* const strand : recording->strands)
        if (const Thread t = strand->thread(); t.serial == serial && t.slot < kMostSlots)
            pass_until_wait(shared, habit_for(shared, t), strand->lines_passed());
}

void forget_habits(SharedLine& shared) {
    if (shared.habits == nullptr) return;
    for (Habit& habit : *shared.habits) habit.forget();
}

void note_renewed(Thread t, rt::Vector<u64>& lines_passed) {
    log::quiet_lines().take_renewed([&](Address a) {
        const LineState state = lines().look(a);
        Habit* const habit = state.has_record() ? habit_of(lines().of(state), t) : nullptr;
        if (habit != nullptr) pass_until_wait(lines().of(state), *habit, lines_passed);
    });
}

// As long as nobody stores to a line, the thread's next load of it is not logged: it makes the helper renew
// the line.
void end_passing(Thread t, Time now, rt::Vector<u64>& lines_passed) {
    note_renewed(t, lines_passed);
    const u32 bit = lines_passed.empty() ? 0 : known_bit(t.serial);
    for (const u64 line : lines_passed) {
        const LineState state = lines()[line];
        Habit* const habit = state.has_record() ? habit_of(lines().of(state), t) : nullptr;
        if (habit == nullptr) continue;
        habit->listed = false;
        const bool stores = habit->stores;
        habit->stores = false;
        const Address a = line_begin(line);
        log::QuietLines& quiet = log::quiet_lines();
        if (bit == 0 || (!stores && !quiet.was_passed(a, bit))) continue;
        const bool again = !stores && quiet.make_fresh(a, bit);
        if (!again && !quiet.end(a, bit, stores)) continue;
        habit->until = now;
        const SharedLine& shared = lines().of(state);
        if (stores) shared.habits->stored_until = habit->stored_until = now;
        if (again && knows_lives()) shared.use->lives.passed(t, recording->observed.part(t.slot), false);
    }
    lines_passed.resize(0);
}

}  // namespace memspy::order
