// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/passing.h"

#include <algorithm>
#include <bit>
#include <new>

#include "analyses/contention/line_life.h"

namespace memspy::contention {
namespace {

using log::QuietLines;

struct Passer {
    u32 serial = 0;  // 0: the bit is free
    bool gone = false;
};
Passer passers[QuietLines::kThreads];
struct PassedLine {
    Passed by;
    bool counted = false;  // something of what passed may be missing
    u32 disturbed = 0;     // how often that was so
    u64 missing = 0;       // in all
};
rt::Global<rt::HashMap<PassedLine>> passed_lines;  // by line
u64 missing = 0;
rt::Global<rt::HashMap<u64>> missing_of;

u32 known_bit(u32 serial) {
    for (u32 i = 0; i < QuietLines::kThreads; ++i)
        if (passers[i].serial == serial) return log::quiet_lines().bit_of(i);
    return 0;
}

// The bits of threads that are gone are free once no line is quiet for them.
void free_bits() {
    u32 bits = 0;
    for (u32 i = 0; i < QuietLines::kThreads; ++i) {
        if (passers[i].serial == 0 || !passers[i].gone) continue;
        bits |= log::quiet_lines().bit_of(i);
        passers[i] = Passer{};
    }
    if (bits != 0) log::quiet_lines().forget_threads(bits);
}

Passed passed_by(u32 bits, Thread taker) {
    Passed passed;
    for (u32 i = 0; i < QuietLines::kThreads && bits != 0; ++i) {
        const u32 bit = log::quiet_lines().bit_of(i);
        if ((bits & bit) == 0) continue;
        bits &= ~bit;
        const Passer& passer = passers[i];
        if (passer.serial == taker.serial) continue;
        // All that a thread did before it ended has been read.
        for (const Strand* strand : recording->strands) {
            if (strand->thread().serial != passer.serial) continue;
            const Time now = strand->is_gone() ? strand->ended_at() : recording->clocks.now(strand->thread());
            if (now > passed.until) passed.until = now;
            passed.bits |= bit;
        }
    }
    return passed;
}

}  // namespace

u32 quiet_bit(Thread t) {
    if (!log::quiet_lines().is_on()) return QuietLines::kNobody;
    for (u32 round = 0; round < 2; ++round) {
        u32 free = QuietLines::kThreads;
        for (u32 i = 0; i < QuietLines::kThreads; ++i) {
            if (passers[i].serial == t.serial) return log::quiet_lines().bit_of(i);
            if (passers[i].serial == 0 && free == QuietLines::kThreads) free = i;
        }
        if (free != QuietLines::kThreads) {
            passers[free].serial = t.serial;
            return log::quiet_lines().bit_of(free);
        }
        free_bits();
    }
    return QuietLines::kNobody;
}

void make_quiet(Thread t, u64 line) {
    const u32 bit = quiet_bit(t);
    if (bit != QuietLines::kNobody) log::quiet_lines().make_quiet(line_begin(line), bit);
}

void quiet_thread_gone(Thread t) {
    for (Passer& passer : passers)
        if (passer.serial == t.serial) passer.gone = true;
}

void forget_quiet_threads(Thread mine) {
    for (Passer& passer : passers)
        if (passer.serial != mine.serial) passer.gone = true;
}

void watch(Address word, u32 accesses) {
    if (recording->options.sampled) log::watched_lines().watch(word, accesses);
}
void unwatch(u64 line) {
    if (!recording->options.sampled) return;
    log::watched_lines().forget(line_begin(line), line_end(line));
}

Passed follow_line(u64 line, Thread taker) {
    if (!log::quiet_lines().is_on()) return {};
    const bool stores = log::quiet_lines().are_stores_quiet(line_begin(line));
    Passed passed = passed_by(log::quiet_lines().follow(line_begin(line)), taker);
    passed.stores = stores;
    return passed;
}

bool was_passed_after(u64 line, Thread t, Time time) {
    if (!log::quiet_lines().is_on()) return false;
    const u32 bits = log::quiet_lines().quiet_for(line_begin(line));
    if (bits == 0) return false;
    for (const Strand* strand : recording->strands) {
        const u32 serial = strand->thread().serial;
        if (serial == t.serial || (bits & known_bit(serial)) == 0) continue;
        if (time_of(serial) > time + recording->merge.delay_of(t.serial)) return true;
    }
    return false;
}

namespace {

constexpr u32 kMostSlots = 32;

Habit* habit_of(SharedLine& shared, Thread t) {
    if (shared.habits == nullptr || t.slot >= shared.habits->slots) return nullptr;
    Habit& habit = shared.habits->habits()[t.slot];
    return habit.serial == t.serial ? &habit : nullptr;
}

// The same; makes an entry if the thread has none.
Habit& habit_for(SharedLine& shared, Thread t) {
    if (Habit* const known = habit_of(shared, t)) return *known;
    const u32 old = shared.habits == nullptr ? 0 : shared.habits->slots;
    if (t.slot >= old) {
        const u32 slots = std::max(std::bit_ceil(t.slot + 1), 4u);
        auto* habits =
            new (rt::allocate(sizeof(Habits) + slots * sizeof(Habit), "memspy.habits")) Habits{slots};
        for (u32 slot = 0; slot < slots; ++slot)
            habits->habits()[slot] = slot < old ? shared.habits->habits()[slot] : Habit{};
        if (shared.habits != nullptr) {
            habits->stored_until = shared.habits->stored_until;
            rt::release(shared.habits);
        }
        shared.habits = habits;
    }
    Habit& habit = shared.habits->habits()[t.slot];
    habit = Habit{.serial = t.serial};
    return habit;
}

bool has_habits(const SharedLine& shared) {
    constexpr u32 kReturns = 4;
    return shared.returns == kReturns;
}

// Whether what passed a line is earlier in the replay than all that is still to be merged.
bool is_behind(const Passed& by) {
    Time until = by.until, next = replay::kNever;
    for (const Strand* strand : recording->strands) {
        const u32 serial = strand->thread().serial;
        const Time delay = recording->merge.delay_of(serial);
        if ((by.bits & known_bit(serial)) != 0) {
            const Time passed = std::min(by.until, strand->worked_until());
            if (strand->next_record() < passed) return false;
            until = std::max(until, passed + delay);
        }
        const Time least = recording->merge.blocked_until(serial);
        next = std::min(
            next, strand->is_merged() ? time_of(serial) : std::max(strand->next_record() + delay, least));
    }
    return next >= until;
}
bool is_behind(SharedLine& shared) {
    if (!is_behind(passed_lines->find(shared.line)->by)) return false;
    shared.passed = false;
    return true;
}

}  // namespace

namespace {

// The thread is taken to do to the line what it did in the last round that was logged whole.
void follow_habit(SharedLine& shared, View view, Thread t, const Habit& habit, bool stores) {
    Ownership& order = *shared.order[static_cast<u32>(view)];
    add_read(order, t, habit.used);
    if (stores && is_only_holder(order, t)) add_written(order, t, habit.stored);
}

}  // namespace

void begin_round(SharedLine& shared, Thread t, const Events& events) {
    if (!log::quiet_lines().is_on() || t.slot >= kMostSlots || recording->options.line_bytes != 64) return;
    if (!has_habits(shared)) {
        ++shared.returns;
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
        log::quiet_lines().are_loads_quiet(line_begin(shared.line), bit) ||
        (shared.passed && !is_behind(shared)) ||
        shared.turns.any_stores_of_others(t.slot, replay::kNever, recording->progress))
        return {};
    // A store of its own that is still to be merged begins a round, too.
    const bool ahead = !holds(*shared.order[static_cast<u32>(View::Modelled)], t) ||
                       shared.turns.any_stores(recording->progress);
    if (!has_habits(shared)) return {.loads = !ahead};
    Habit* const habit = habit_of(shared, t);
    if (habit == nullptr || !habit->is_known()) return {};
    return {.loads = true, .ahead = ahead, .habit = habit};
}

}  // namespace

namespace {

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

// The habit of t to store to the line, if these bytes are among those that it stores and what it does to the line from then
// on teaches nothing, if it alone holds the line then. `time`: of the store, by its clock.
Habit* habit_of_stores(SharedLine& shared, Thread t, u32 bit, Time time, u64 bytes) {
    if (bit == QuietLines::kNobody || t.slot >= kMostSlots || shared.syncs || shared.updated ||
        shared.use->orders || !has_habits(shared))
        return nullptr;
    Habit* const habit = habit_of(shared, t);
    if (habit == nullptr || !habit->is_known() || (bytes & ~habit->stored) != 0) return nullptr;
    // Where threads wait for locks, others come to the line at other times than their clocks say: too much might be missing.
    if (recording->merge.delayed() || (shared.passed && !is_behind(shared))) return nullptr;
    return shared.turns.any_of_others_behind(t.slot, time, recording->progress) ? nullptr : habit;
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
                       shared.turns.any_stores(recording->progress) ||
                       shared.turns.any_of_others(t.slot, replay::kNever, recording->progress);
    pass_by_habit(shared, t, ahead, *habit, true);
    if (knows_lives()) touch_life(shared.use->lives, t, time, habit->used, habit->stored);
    log::quiet_lines().make_quiet(a, bit);
    lines_passed.push_back(shared.line);
}

void pass_loads(SharedLine& shared, Thread t, u32 bit, rt::Vector<u64>& lines_passed) {
    const auto [loads, ahead, habit] = passable(shared, t, bit);
    if (!loads || ++shared.looks < accesses_to_pass(shared)) return;
    if (habit != nullptr) pass_by_habit(shared, t, ahead, *habit, false);
    log::quiet_lines().make_loads_quiet(line_begin(shared.line), bit);
    if (t.slot < kMostSlots && !is_only_holder(*shared.order[static_cast<u32>(View::Observed)], t))
        lines_passed.push_back(shared.line);
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

void end_with_next_wait(const SharedLine& shared, u32 serial) {
    const u32 bit = serial == 0 ? 0 : known_bit(serial);
    if (bit == 0 || !log::quiet_lines().are_loads_quiet(line_begin(shared.line), bit)) return;
    for (Strand* const strand : recording->strands)
        if (strand->thread().serial == serial && strand->thread().slot < kMostSlots)
            strand->lines_passed().push_back(shared.line);
}

void forget_habits(SharedLine& shared) {
    if (shared.habits == nullptr) return;
    for (u32 slot = 0; slot < shared.habits->slots; ++slot) shared.habits->habits()[slot].forget();
}

void end_passing(Thread t, Time now, rt::Vector<u64>& lines_passed) {
    if (lines_passed.empty()) return;
    const u32 bit = quiet_bit(t);
    for (const u64 line : lines_passed) {
        if (bit == QuietLines::kNobody) continue;
        const LineState state = lines()[line];
        Habit* habit = state.has_record() ? habit_of(lines().of(state), t) : nullptr;
        const bool stores = habit != nullptr && habit->stores;
        if (stores) habit->stores = false;
        if (!log::quiet_lines().end(line_begin(line), bit, stores) || !state.has_record()) continue;
        if (habit == nullptr) habit = &habit_for(lines().of(state), t);
        habit->until = now;
        Habits& habits = *lines().of(state).habits;
        if (stores) habits.stored_until = habit->stored_until = now;
    }
    lines_passed.resize(0);
}

// A thread that waits for a lock in the replay gets there later than its clock says.
bool may_be_earlier(const Passed& passed, Time time) {
    return passed.bits != 0 && (passed.until > time || recording->merge.delayed());
}

// What passed the line by habit, and was ended since, but may be later than `time` in the replay.
void add_ended(SharedLine& shared, Time time, Passed& passed) {
    if (shared.habits == nullptr) return;
    const bool delayed = recording->merge.delayed();
    for (u32 slot = 0; slot < shared.habits->slots; ++slot) {
        const Habit& habit = shared.habits->habits()[slot];
        if (habit.until == 0 || (habit.until <= time && !delayed)) continue;
        passed.bits |= known_bit(habit.serial);
        passed.until = std::max(passed.until, habit.until);
    }
}

// Whether stores that passed the line by habit, and were ended since, may be later than `time` in the replay: these.
Passed ended_stores(SharedLine& shared, Time time) {
    Passed passed;
    if (shared.habits == nullptr || shared.habits->stored_until == 0 ||
        (shared.habits->stored_until <= time && !recording->merge.delayed()))
        return passed;
    const auto for_each_habit = [&](auto f) {
        for (u32 slot = 0; slot < shared.habits->slots; ++slot) f(shared.habits->habits()[slot]);
    };
    for_each_habit([&](const Habit& habit) {
        if (habit.stored_until == 0) return;
        passed.bits |= known_bit(habit.serial);
        passed.until = std::max(passed.until, habit.stored_until);
        passed.stores = true;
    });
    if (!is_behind(passed)) return passed;
    for_each_habit([&](Habit& habit) { habit.stored_until = 0; });
    shared.habits->stored_until = 0;
    return {};
}

// It passed the line.
void note(SharedLine& shared, const Passed& passed, Time time) {
    if (!may_be_earlier(passed, time)) return;
    PassedLine& line = (*passed_lines)[shared.line];
    if (!shared.passed) {
        line.by = Passed{};
        line.counted = false;
    }
    line.by.bits |= passed.bits;
    line.by.stores |= passed.stores;
    if (line.by.until < passed.until) line.by.until = passed.until;
    shared.passed = true;
}

void note_passed(SharedLine& shared, const Passed& followed, Time time) {
    Passed passed = followed;
    add_ended(shared, time, passed);
    note(shared, passed, time);
}

void note_stores_passed(SharedLine& shared, Thread t, Time time) {
    const Address a = line_begin(shared.line);
    if (log::quiet_lines().is_on() && log::quiet_lines().are_stores_quiet(a))
        return note_passed(shared, follow_line(shared.line, t), time);
    note(shared, ended_stores(shared, time), time);
}

bool may_miss(SharedLine& shared, Thread t, Time time) {
    const Passed& by = passed_lines->find(shared.line)->by;
    const Time now = time + recording->merge.delay_of(t.serial);
    bool others = false;
    for (const Strand* strand : recording->strands) {
        const u32 serial = strand->thread().serial;
        if ((by.bits & known_bit(serial)) == 0) continue;
        const Time passed = std::min(by.until, strand->worked_until());
        if (strand->next_record() >= passed && now >= passed + recording->merge.delay_of(serial)) continue;
        if (serial != t.serial) return true;
        others = true;
    }
    shared.passed = others;
    return false;
}

u32 accesses_to_pass(const SharedLine& shared) {
    constexpr u64 kEach = 16, kMost = ~u32{0} / 4;
    if (!shared.disturbed) return 0;
    const PassedLine* line = passed_lines->find(shared.line);
    const u64 accesses = line->missing * kEach / line->disturbed;
    return static_cast<u32>(accesses < kMost ? accesses : kMost);
}

void count_missing(SharedLine& shared, Thread t, bool stores, Time time, ObjectId object) {
    if (!may_miss(shared, t, time)) return;
    PassedLine& line = *passed_lines->find(shared.line);
    if (!stores && !line.by.stores) return;  // loads do not disturb each other
    const u32 others = line.by.bits & ~known_bit(t.serial);
    const u32 events = 1 + static_cast<u32>(std::popcount(others));
    if (!line.counted) {
        line.counted = true;
        ++line.disturbed;
        shared.disturbed = true;
        shared.looks = 0;
    }
    line.missing += events;
    missing += events;
    (*missing_of)[static_cast<u64>(object)] += events;
}
u64 missing_events() { return missing; }
void for_each_missing(void (*f)(ObjectId, u64, void*), void* argument) {
    missing_of->for_each([&](u64 object, u64 events) { f(static_cast<ObjectId>(object), events, argument); });
}
void forget_missing() {
    missing = 0;
    missing_of->clear();
}

}  // namespace memspy::contention
