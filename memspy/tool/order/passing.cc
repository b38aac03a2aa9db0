// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/passing.h"

#include <algorithm>
#include <bit>
#include <new>

#include "order/line_life.h"

namespace memspy::order {
namespace {

using log::QuietLines;

// An age of a thread (log/quiet_lines.h): it has passed lines by this bit until `ended`, by its clock.
struct Passer {
    u32 serial = 0;  // 0: the bit is free
    bool gone = false;
    Time began = 0, ended = kNever;

    bool is_present() const { return ended == kNever; }
    bool is_fresh() const { return ended == 0; }  // nothing has been passed by it
};
constexpr u32 kKeptFree = 8;  // bits, for threads that are still to come
Passer passers[QuietLines::kThreads];
// Whether threads may wait for locks in the replay of what has been read. They get behind these later than their clocks say.
bool may_be_delayed() {
    if (recording->merge.delayed()) return true;
    for (const Strand* strand : recording->strands)
        if (strand->has_locks_ahead()) return true;
    return false;
}

// What a thread passed a line by ends in the replay at `until`, by the thread's own clock.
struct Window {
    u32 serial;
    bool stores;
    Time until;

    // Whether an access that the replay makes at `now` may still be earlier. If not, none that follows is. A lock that the
    // thread is still to wait for in the replay delays what follows.
    bool is_open(Time now) const {
        const Strand* strand = strand_of(serial);
        return strand != nullptr && (strand->next_record() < until || strand->next_step() < until ||
                                     now < until + recording->merge.delay_of(serial));
    }
    // Whether an access at `time`, by its thread's clock, may be earlier.
    bool may_be_behind(Time time) const {
        if (until > time || recording->merge.delayed()) return true;
        const Strand* strand = strand_of(serial);
        return strand != nullptr && strand->next_step() < until && may_be_delayed();
    }
};
struct PassedLine {
    rt::Vector<Window> by;
    bool counted = false;  // something of what passed may be missing
    u32 disturbed = 0;     // how often that was so
    u64 missing = 0;       // in all
};
rt::Global<rt::HashMap<PassedLine*>> passed_lines;  // by line
PassedLine& passed_line(const SharedLine& shared) { return **passed_lines->find(shared.line); }
u64 missing = 0;
rt::Global<rt::HashMap<u64>> missing_of;

u32 known_bit(u32 serial) {
    for (u32 i = 0; i < QuietLines::kThreads; ++i)
        if (passers[i].serial == serial && passers[i].is_present()) return log::quiet_lines().bit_of(i);
    return 0;
}
// Of all its ages.
u32 known_bits(u32 serial) {
    u32 bits = 0;
    for (u32 i = 0; i < QuietLines::kThreads; ++i)
        if (passers[i].serial == serial) bits |= log::quiet_lines().bit_of(i);
    return bits;
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

// Gives the thread a bit for lines that it has not passed yet.
void give_fresh(u32 serial) {
    u32 free = 0;
    Passer* unused = nullptr;
    for (Passer& passer : passers) {
        if (passer.serial != 0) continue;
        ++free;
        unused = &passer;
    }
    if (free > kKeptFree) *unused = Passer{.serial = serial, .ended = 0};
}
// Tells the thread's bits. Returns the present one.
u32 know_ages(u32 serial) {
    const u32 bit = known_bit(serial);
    u32 fresh = bit;
    for (u32 i = 0; i < QuietLines::kThreads; ++i)
        if (passers[i].serial == serial && passers[i].is_fresh()) fresh = log::quiet_lines().bit_of(i);
    log::quiet_lines().set_ages(bit, {known_bits(serial), fresh});
    return bit;
}

// Threads that are still to come need the bits: what a thread has passed in its ages counts as passed in the present one.
void join_ages() {
    for (const Passer& present : passers) {
        if (present.serial == 0 || !present.is_present()) continue;
        const u32 bit = known_bit(present.serial), others = known_bits(present.serial) & ~bit;
        if (others == 0) continue;
        log::quiet_lines().join_ages(others, bit);
        for (Passer& passer : passers)
            if (passer.serial == present.serial && !passer.is_present()) passer = Passer{};
        know_ages(present.serial);
    }
}

}  // namespace

u32 quiet_bit(Thread t) {
    if (!log::quiet_lines().is_on()) return QuietLines::kNobody;
    for (const auto make_free : {free_bits, join_ages, +[] {}}) {
        u32 free = QuietLines::kThreads;
        for (u32 i = 0; i < QuietLines::kThreads; ++i) {
            if (passers[i].serial == t.serial && passers[i].is_present()) return log::quiet_lines().bit_of(i);
            if (passers[i].serial == 0 && free == QuietLines::kThreads) free = i;
        }
        if (free != QuietLines::kThreads) {
            passers[free] = Passer{.serial = t.serial};
            give_fresh(t.serial);
            return know_ages(t.serial);
        }
        make_free();
    }
    return QuietLines::kNobody;
}

void begin_age(Thread t, Time now) {
    constexpr Time kShortest = 2048;
    constexpr u32 kAges = 5;
    if (!log::quiet_lines().is_on()) return;
    Passer* present = nullptr;
    Passer* oldest = nullptr;
    Passer* unused = nullptr;
    u32 ages = 0, free = 0;
    for (Passer& passer : passers) {
        if (passer.serial == 0) {
            ++free;
            unused = &passer;
        } else if (passer.serial == t.serial) {
            ++ages;
            if (passer.is_present())
                present = &passer;
            else if (!passer.is_fresh() && (oldest == nullptr || passer.ended < oldest->ended))
                oldest = &passer;
        }
    }
    if (present == nullptr || now < present->began + kShortest) return;
    // What was passed by the bit of the oldest age counts as passed in the new one.
    Passer* const next = ages < kAges && free > kKeptFree ? unused : oldest;
    if (next == nullptr) return;
    present->ended = now;
    *next = Passer{.serial = t.serial, .began = now};
    know_ages(t.serial);
}

void make_quiet(Thread t, u64 line) {
    const u32 bit = quiet_bit(t);
    if (bit != QuietLines::kNobody) log::quiet_lines().make_quiet(line_begin(line), bit);
}

void make_loads_quiet(Thread t, u64 line) {
    const u32 bit = quiet_bit(t);
    if (bit != QuietLines::kNobody) log::quiet_lines().make_loads_quiet(line_begin(line), bit);
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
    return {log::quiet_lines().follow(line_begin(line)) & ~known_bits(taker.serial), stores};
}

bool was_passed_after(u64 line, Thread t, Time time) {
    if (!log::quiet_lines().is_on()) return false;
    const u32 bits = log::quiet_lines().quiet_for(line_begin(line));
    if (bits == 0) return false;
    const Time now = time + recording->merge.delay_of(t.serial);
    for (u32 i = 0; i < QuietLines::kThreads; ++i) {
        const Passer& passer = passers[i];
        const u32 serial = passer.serial;
        if (serial == 0 || serial == t.serial || passer.is_fresh() ||
            (bits & log::quiet_lines().bit_of(i)) == 0)
            continue;
        if (time_of(serial) > now &&
            (passer.is_present() || passer.ended + recording->merge.delay_of(serial) > now))
            return true;
    }
    return false;
}

namespace {

constexpr u32 kMostSlots = Habits::kMostSlots;

Habit* habit_of(SharedLine& shared, Thread t) {
    if (shared.habits == nullptr || t.slot >= kMostSlots) return nullptr;
    Habit* const habit = shared.habits->find(t.slot);
    return habit != nullptr && habit->serial == t.serial ? habit : nullptr;
}

// The same; makes an entry if the thread has none: then others of the line move. Only for slots below kMostSlots.
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

// When what is still to be merged begins in the replay.
Time next_in_replay() {
    Time next = kNever;
    for (const Strand* strand : recording->strands) {
        const u32 serial = strand->thread().serial;
        const Time delay = recording->merge.delay_of(serial);
        const Time least = recording->merge.blocked_until(serial);
        const Time ahead = std::min(strand->next_record(), strand->next_step()) + delay;
        next = std::min(next, strand->is_merged() ? time_of(serial) : std::max(ahead, least));
    }
    return next;
}

}  // namespace

// The replay has got to `now`.
static void close_windows(SharedLine& shared, Time now) {
    for (const Window& window : passed_line(shared).by)
        if (window.is_open(now)) return;
    shared.passed = false;
}

bool lacks_accesses(SharedLine& shared) {
    if (shared.passed) close_windows(shared, next_in_replay());
    return shared.passed;
}

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

// The habit of t to store to the line, if these bytes are among those that it stores and what it does to the line from then
// on teaches nothing, if it alone holds the line then. `time`: of the store, by its clock.
Habit* habit_of_stores(SharedLine& shared, Thread t, u32 bit, Time time, u64 bytes) {
    if (bit == QuietLines::kNobody || t.slot >= kMostSlots || shared.syncs || shared.updated ||
        shared.use->orders || !shared.has_habits())
        return nullptr;
    Habit* const habit = habit_of(shared, t);
    if (habit == nullptr || !habit->is_known() || (bytes & ~habit->stored) != 0) return nullptr;
    // Where threads wait for locks, others come to the line at other times than their clocks say: too much might be missing.
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

// As long as nobody stores to a line, the thread's next load of it is not logged: it makes the helper renew the line.
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

static PassedLine& known_passed_line(const SharedLine& shared) {
    PassedLine*& line = (*passed_lines)[shared.line];
    if (line == nullptr) {
        line = new (rt::allocate(sizeof(PassedLine), "memspy.passed_line")) PassedLine;
        line->by.reserve(1);  // most lines were one thread's
    }
    return *line;
}

static void add_window(SharedLine& shared, const Window& window) {
    PassedLine& line = known_passed_line(shared);
    if (!shared.passed) {
        line.by.resize(0);
        line.counted = false;
    }
    shared.passed = true;
    for (Window& known : line.by) {
        if (known.serial != window.serial) continue;
        known.stores |= window.stores;
        known.until = std::max(known.until, window.until);
        return;
    }
    line.by.push_back(window);
}

void note_passed(SharedLine& shared, const Passed& followed, Time time) {
    if (followed.bits == 0 && shared.habits == nullptr) return;
    const Time next = next_in_replay();
    for (u32 i = 0; followed.bits != 0 && i < QuietLines::kThreads; ++i) {
        const Passer& passer = passers[i];
        if (passer.serial == 0 || passer.is_fresh() || (followed.bits & log::quiet_lines().bit_of(i)) == 0)
            continue;
        const Strand* strand = strand_of(passer.serial);
        if (strand == nullptr) continue;
        const Window window{passer.serial, followed.stores, std::min(strand->worked_until(), passer.ended)};
        if (knows_lives()) {
            ObservedOrder& order = recording->observed;
            const Thread by = strand->thread();
            shared.use->lives.passed(
                by, passer.is_present() ? order.part(by.slot) : order.part_at(by.slot, passer.ended),
                followed.stores);
        }
        // A thread that is behind may come to the line, too, when nothing tells any more that it was passed.
        if (window.is_open(next)) add_window(shared, window);
    }
    // What passed the line by habit, and was ended since, but may be later than `time` in the replay.
    if (shared.habits == nullptr) return;
    for (Habit& habit : *shared.habits) {
        const Window window{habit.serial, habit.stored_until != 0, habit.until};
        if (window.until == 0 || !window.may_be_behind(time)) continue;
        if (window.is_open(next))
            add_window(shared, window);
        else
            habit.until = 0;
    }
}

// The same for stores, which end with their thread's next wait, too.
static void note_ended_stores(SharedLine& shared, Time time) {
    if (shared.habits == nullptr || shared.habits->stored_until == 0) return;
    const auto window_of = [](const Habit& habit) { return Window{habit.serial, true, habit.stored_until}; };
    const auto is_late = [&](const Habit& habit) {
        return habit.stored_until != 0 && window_of(habit).may_be_behind(time);
    };
    if (std::none_of(shared.habits->begin(), shared.habits->end(), is_late)) return;
    const Time next = next_in_replay();
    bool any = false;
    for (const Habit& habit : *shared.habits) {
        const Window window = window_of(habit);
        if (window.until == 0 || !window.is_open(next)) continue;
        any = true;
        if (window.may_be_behind(time)) add_window(shared, window);
    }
    if (any) return;
    for (Habit& habit : *shared.habits) habit.stored_until = 0;
    shared.habits->stored_until = 0;
}

void note_stores_passed(SharedLine& shared, Thread t, Time time) {
    const Address a = line_begin(shared.line);
    if (log::quiet_lines().is_on() && log::quiet_lines().are_stores_quiet(a))
        return note_passed(shared, follow_line(shared.line, t), time);
    note_ended_stores(shared, time);
}

// How many other threads that passed the line may still be earlier: all, and those that stored.
struct Others {
    u32 all = 0, storing = 0;
};
static Others others_open(const SharedLine& shared, Thread t, Time time) {
    const Time now = time + recording->merge.delay_of(t.serial);
    Others others;
    const Lives& lives = shared.use->lives;
    // At the access, which is not merged yet.
    const auto has_begun_then = [&](u32 slot, u32 serial, Time start) {
        return serial == t.serial ? start <= time : has_begun(slot, serial, start);
    };
    for (const Window& window : passed_line(shared).by) {
        if (window.serial == t.serial || !window.is_open(now)) continue;
        if (lives.any() && lives.has_handed_over_all(window.serial, window.until, has_begun_then)) continue;
        ++others.all;
        others.storing += window.stores ? 1 : 0;
    }
    return others;
}

bool may_miss(const SharedLine& shared, Thread t, Time time) { return others_open(shared, t, time).all != 0; }

u32 accesses_to_pass(const SharedLine& shared) {
    constexpr u64 kEach = 16, kMost = ~u32{0} / 4;
    if (!shared.disturbed) return 0;
    const PassedLine& line = passed_line(shared);
    const u64 accesses = line.missing * kEach / line.disturbed;
    return static_cast<u32>(accesses < kMost ? accesses : kMost);
}

static void tell_missing(SharedLine& shared, u32 events, ObjectId object) {
    PassedLine& line = passed_line(shared);
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

void count_missing(SharedLine& shared, Thread t, bool stores, Time time, ObjectId object) {
    const Others open = others_open(shared, t, time);
    if (open.all == 0) close_windows(shared, time + recording->merge.delay_of(t.serial));
    if (open.all == 0 || (!stores && open.storing == 0)) return;
    // Where both store, each misses and takes the line back.
    const u32 both_store = stores && open.storing != 0 ? 1 + open.storing : 0;
    tell_missing(shared, 1 + open.all + both_store, object);
}

void count_left_out(SharedLine& shared, Thread t, bool stores, ObjectId object) {
    // Its own, and that of the next store by another thread; a store's takes the line from all others.
    u32 events = 2;
    if (stores)
        for (const Strand* strand : recording->strands)
            events += strand->thread() == t ||
                              holds(*shared.order[static_cast<u32>(View::Modelled)], strand->thread())
                          ? 1
                          : 0;
    known_passed_line(shared);
    tell_missing(shared, events, object);
}
u64 missing_events() { return missing; }
bool is_bound_large() {
    constexpr u64 kPart = 64, kFew = 128;
    return missing > kFew + recording->counts.events / kPart;
}
void for_each_missing(void (*f)(ObjectId, u64, void*), void* argument) {
    missing_of->for_each([&](u64 object, u64 events) { f(static_cast<ObjectId>(object), events, argument); });
}
void forget_missing() {
    missing = 0;
    missing_of->clear();
}

}  // namespace memspy::order
