// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns: which threads have accessed a line without having been merged yet, and about when. So the merge knows which
// accesses cannot meet others', and passes them.
//
// Most lines go from one thread to the next, and each uses its line many times before. So the first reading notes
// turns: accesses of one thread without another's in between. A line has few turns that are not merged yet; if there
// are more, the oldest become one of an unknown thread.
//
// No Valgrind here.
#pragma once

#include "replay/clocks.h"
#include "rt/vector.h"

namespace memspy::contention {

// How far the merge has got with each thread.
class Progress {
public:
    static constexpr u32 kAnyone = ~u32{0};

    // The records of the thread in this slot have been merged up to `time` by its own clock. What it does next comes no
    // earlier than `now` in virtual time, and all that is in its log at least `delay` later than by its clock.
    void set(u32 slot, replay::Time time, replay::Time now, replay::Time delay) {
        Position& position = of_[slot];
        position.merged = time;
        position.now = now;
        position.delay = delay;
    }
    // What comes into its log now is behind a wait, which may use the delay up.
    void forget_delay(u32 slot) {
        if (slot < of_.size()) of_[slot].delay = 0;
    }
    // All that is in its log has been merged, and what comes is no earlier than `time`.
    void set(u32 slot, replay::Time time) {
        while (of_.size() <= slot) of_.push_back({});
        of_[slot] = {time, time, 0, 0, time};
    }
    // Its log has been read up to `time`.
    void note_read(u32 slot, replay::Time time) {
        while (of_.size() <= slot) of_.push_back({});
        of_[slot].read = time;
    }
    // The clock of the thread, at `time`, steps back.
    void step_back(u32 slot, replay::Time time) {
        if (time > of_[slot].latest) of_[slot].latest = time;
    }
    // When the merge is behind a record of the thread at `time`.
    replay::Time end_of(u32 slot, replay::Time time) const {
        const replay::Time latest = of_[slot].latest;
        return (time > latest ? time : latest) + 1;
    }

    // When it is behind all that has been read of the thread's log.
    replay::Time end_of_read(u32 slot) const { return slot < of_.size() ? end_of(slot, of_[slot].read) : 1; }

    // Whether all records of the thread before `time`, by its own clock, have been merged. Of kAnyone, those of all threads
    // but the one in the slot `but`.
    bool is_past(u32 slot, replay::Time time, u32 but = kAnyone) const {
        if (slot != kAnyone) return time <= of_[slot].merged;
        for (u32 each = 0; each < of_.size(); ++each)
            if (of_[each].merged < time && each != but) return false;
        return true;
    }
    // Whether an access of the thread at `time`, by its own clock, comes after `until` in virtual time.
    bool is_after(u32 slot, replay::Time time, replay::Time until) const {
        if (slot == kAnyone || time > until) return time > until;
        return of_[slot].now > until || time + of_[slot].delay > until;
    }

private:
    struct Position {
        replay::Time merged = 0;  // by the thread's clock
        replay::Time now = 0;     // the same in virtual time
        replay::Time delay = 0;   // at least, of everything behind it
        replay::Time latest = 0;  // before its clock stepped back
        replay::Time read = 0;    // the end of what has been read, by the thread's clock
    };
    rt::Vector<Position> of_;  // by slot
};

class Turns {
public:
    // A record of the thread in the slot, at `time`, has accesses to the line.
    void add(u32 slot, replay::Time time, bool stores, const Progress& merged) {
        (stores ? stores_ : loads_).add(Turn{time, merged.end_of(slot, time), slot}, merged);
    }
    // Forgets all. Of the accesses so far is only known that none is later than `latest`. `slot` may be kAnyone.
    void begin(u32 slot, replay::Time latest, bool stores) {
        *this = Turns{};
        (stores ? stores_ : loads_).set(Turn{0, latest + 1, slot});
    }

    // Whether other threads than the one in the slot have accesses, or stores, that are not merged and may come no later
    // than `until` in virtual time.
    bool any_of_others(u32 slot, replay::Time until, const Progress& merged) const {
        return any_stores_of_others(slot, until, merged) || loads_.any_of_others(slot, until, merged);
    }
    bool any_stores_of_others(u32 slot, replay::Time until, const Progress& merged) const {
        return stores_.any_of_others(slot, until, merged);
    }
    // Whether accesses of other threads that are not merged may come later than `time`, if no thread has a delay.
    bool any_of_others_behind(u32 slot, replay::Time time, const Progress& merged) const {
        return stores_.any_of_others_behind(slot, time, merged) ||
               loads_.any_of_others_behind(slot, time, merged);
    }
    bool any_stores(const Progress& merged) const { return stores_.any(merged); }

private:
    struct Turn {  // begins at `from`, and has been merged when the merge is at `until`
        replay::Time from = 0, until = 0;
        u32 slot = Progress::kAnyone;

        bool is_past(const Progress& merged, u32 but = Progress::kAnyone) const {
            return until == 0 || merged.is_past(slot, until, but);
        }
        void take_in(const Turn& other) {
            if (slot != other.slot) slot = Progress::kAnyone;
            if (other.from < from) from = other.from;
            if (other.until > until) until = other.until;
        }
    };
    // In the order of the run.
    class LastTurns {
    public:
        void set(const Turn& turn) { last_ = turn; }
        void add(const Turn& turn, const Progress& merged) {
            constexpr replay::Time kGap = 4096;  // longer ones begin a new turn
            if (last_.slot == turn.slot && turn.from <= last_.until + kGap && !last_.is_past(merged))
                return last_.take_in(turn);
            if (!last_.is_past(merged)) {
                if (!before_.is_past(merged))
                    before_.take_in(last_);
                else
                    before_ = last_;
            }
            last_ = turn;
        }
        bool any_of_others(u32 slot, replay::Time until, const Progress& merged) const {
            return is_of_other(last_, slot, until, merged) || is_of_other(before_, slot, until, merged);
        }
        bool any_of_others_behind(u32 slot, replay::Time time, const Progress& merged) const {
            const auto is_behind = [&](const Turn& turn) {
                return turn.slot != slot && turn.until > time && !turn.is_past(merged, slot);
            };
            return is_behind(last_) || is_behind(before_);
        }
        bool any(const Progress& merged) const { return !last_.is_past(merged) || !before_.is_past(merged); }

    private:
        static bool is_of_other(const Turn& turn, u32 slot, replay::Time until, const Progress& merged) {
            return turn.slot != slot && !turn.is_past(merged, slot) &&
                   !merged.is_after(turn.slot, turn.from, until);
        }
        Turn before_, last_;
    };
    LastTurns loads_, stores_;
};

}  // namespace memspy::contention
