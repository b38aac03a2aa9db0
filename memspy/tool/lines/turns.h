// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns: which threads have accessed a line without having been merged yet, and about when. So the merge
// knows which accesses cannot meet others', and passes them.
//
// Most lines go from one thread to the next, and each uses its line many times before. So the first reading
// notes turns: accesses of one thread without another's in between. A line has few turns that are not merged
// yet; each thread's older ones become one. Where they are of many threads, the oldest become one of an
// unknown thread. It has been merged when all threads have got so far. One that sleeps for long with
// something left in its log would prevent that, so of such a thread is known which line the rest is about.
//
// No Valgrind here.
#pragma once

#include <utility>

#include "lines/rules.h"
#include "rt/vector.h"

namespace memspy::lines {

// How far the merge has got with each thread.
class Progress {
public:
    static constexpr u32 kAnyone = 0xFFFF;  // more than there are slots
    static constexpr u64 kAnyLine = ~u64{0}, kNoLine = kAnyLine - 1;

    // The records of the thread in this slot have been merged up to `time` by its own clock. What it does
    // next comes no earlier than `now` in virtual time, and all that is in its log at least `delay` later
    // than by its clock.
    void set(u32 slot, Time time, Time now, Time delay) {
        Position& position = of_[slot];
        position.merged = time;
        position.now = now;
        position.delay = delay;
        position.left = kAnyLine;
    }
    // All that is left of what has been read of its log is about this line, or about none. That ends when
    // more is read.
    void set_left(u32 slot, u64 line) { of_[slot].left = line; }
    // What comes into its log now is behind a wait, which may use the delay up.
    void forget_delay(u32 slot) {
        if (slot < of_.size()) of_[slot].delay = 0;
    }
    // All that is in its log has been merged, and what comes is no earlier than `time`.
    void set(u32 slot, Time time) {
        while (of_.size() <= slot) of_.push_back({});
        of_[slot] = {.merged = time, .now = time, .read = time};
    }
    // Its log has been read up to `time`.
    void note_read(u32 slot, Time time) {
        while (of_.size() <= slot) of_.push_back({});
        of_[slot].read = time;
    }
    // The clock of the thread, at `time`, steps back.
    void step_back(u32 slot, Time time) {
        if (time > of_[slot].latest) of_[slot].latest = time;
    }
    // When the merge is behind a record of the thread at `time`.
    Time end_of(u32 slot, Time time) const {
        const Time latest = of_[slot].latest;
        return (time > latest ? time : latest) + 1;
    }

    // When it is behind all that has been read of the thread's log.
    Time end_of_read(u32 slot) const { return slot < of_.size() ? end_of(slot, of_[slot].read) : 1; }

    // Whether all records of the thread before `time`, by its own clock, have been merged, of those about
    // `line`. Of kAnyone, those of all threads but the one in the slot `but`.
    bool is_past(u32 slot, Time time, u64 line = kAnyLine, u32 but = kAnyone) const {
        if (slot != kAnyone) return of_[slot].is_past(time, line);
        for (u32 each = 0; each < of_.size(); ++each)
            if (!of_[each].is_past(time, line) && each != but) return false;
        return true;
    }
    // Whether an access of the thread at `time`, by its own clock, comes after `until` in virtual time.
    bool is_after(u32 slot, Time time, Time until) const {
        if (slot == kAnyone || time > until) return time > until;
        return of_[slot].now > until || time + of_[slot].delay > until;
    }

private:
    struct Position {
        Time merged = 0;  // by the thread's clock
        Time now = 0;     // the same in virtual time
        Time delay = 0;   // at least, of everything behind it
        Time latest = 0;  // before its clock stepped back
        Time read = 0;    // the end of what has been read, by the thread's clock
        u64 left = kAnyLine;

        bool is_past(Time time, u64 line) const {
            return time <= merged || (left != kAnyLine && left != line && line != kAnyLine);
        }
    };
    rt::Vector<Position> of_;  // by slot
};

// The same for one line.
class LineProgress {
public:
    LineProgress(const Progress& of, u64 line) : of_(of), line_(line) {}
    Time end_of(u32 slot, Time time) const { return of_.end_of(slot, time); }
    bool is_past(u32 slot, Time time, u32 but) const { return of_.is_past(slot, time, line_, but); }
    bool is_after(u32 slot, Time time, Time until) const { return of_.is_after(slot, time, until); }

private:
    const Progress& of_;
    u64 line_;
};

class Turns {
public:
    // A record of the thread in the slot, at `time`, has accesses to the line.
    void add(u32 slot, Time time, bool stores, const LineProgress& merged) {
        (stores ? stores_ : loads_).add(Turn(slot, time, merged.end_of(slot, time)), merged);
    }
    // Forgets all. Of the accesses so far is only known that none is later than `latest`. `slot` may be
    // kAnyone.
    void begin(u32 slot, Time latest, bool stores) {
        loads_.begin(stores ? Turn() : Turn(slot, 0, latest + 1));
        stores_.begin(stores ? Turn(slot, 0, latest + 1) : Turn());
    }

    // Whether other threads than the one in the slot have accesses, or stores, that are not merged and may
    // come no later than `until` in virtual time.
    bool any_of_others(u32 slot, Time until, const LineProgress& merged) const {
        return any_stores_of_others(slot, until, merged) || loads_.any_of_others(slot, until, merged);
    }
    bool any_stores_of_others(u32 slot, Time until, const LineProgress& merged) const {
        return stores_.any_of_others(slot, until, merged);
    }
    bool any_stores(const LineProgress& merged) const { return stores_.any(merged); }

private:
    struct Turn {  // begins at `from` or later, and has been merged when the merge is at `until`
        u64 from : 48 = 0, slot : 16 = Progress::kAnyone;
        Time until = 0;

        Turn() = default;
        Turn(u32 by, Time begin, Time end) : from(begin & kFrom), slot(by & Progress::kAnyone), until(end) {}
        bool is_past(const LineProgress& merged, u32 but = Progress::kAnyone) const {
            return until == 0 || merged.is_past(slot, until, but);
        }
        void take_in(const Turn& other) {
            if (slot != other.slot) slot = Progress::kAnyone;
            if (other.from < from) from = other.from;
            if (other.until > until) until = other.until;
        }

    private:
        static constexpr u64 kFrom = (u64{1} << 48) - 1;
    };
    static_assert(sizeof(Turn) == 16);
    // In the order of the run.
    class LastTurns {
    public:
        void begin(const Turn& turn) {
            for (Turn& known : turns_) known = Turn();
            turns_[0] = turn;
        }
        void add(const Turn& turn, const LineProgress& merged) {
            Turn& last = turns_[0];
            if (last.slot == turn.slot && turn.from <= last.until + rules::kTurnGap && !last.is_past(merged))
                return last.take_in(turn);
            Turn before = last;
            last = turn;
            for (u32 i = 1; !before.is_past(merged); ++i) {
                if (i == kMost) return turns_[kMost - 1].take_in(before);
                if (turns_[i].slot == before.slot && !turns_[i].is_past(merged))
                    return turns_[i].take_in(before);
                std::swap(turns_[i], before);
            }
        }
        bool any_of_others(u32 slot, Time until, const LineProgress& merged) const {
            return any_of([&](const Turn& turn) {
                return turn.slot != slot && !turn.is_past(merged, slot) &&
                       !merged.is_after(turn.slot, turn.from, until);
            });
        }
        bool any(const LineProgress& merged) const {
            return any_of([&](const Turn& turn) { return !turn.is_past(merged); });
        }

    private:
        template <typename Is>
        bool any_of(Is is) const {
            for (const Turn& turn : turns_)
                if (is(turn)) return true;
            return false;
        }

        static constexpr u32 kMost = 3;
        Turn turns_[kMost];  // the last one first
    };
    LastTurns loads_, stores_;
};

}  // namespace memspy::lines
