// SPDX-License-Identifier: GPL-2.0-or-later
//
// When would the run have ended, in virtual time, if some events took no time? Each event takes its thread
// `price` units. Beside this *full* time each thread has further times, in which the false-sharing events of
// one *suspect*, or of all, are free, or all events of one suspect. The order of the replay is that of all
// these times: who went on after another, or took a lock after another, did so in each of them, and waits in
// each for what it takes there.
//
//   event    the thread's full time grows by the price; so do those of all suspects but its own
//   go on    each time becomes the later one of the thread's and of that of the thread it went on after
//   lock     the same, with that at which the last owner released the lock
//
// A time is kept as what it *saves* of the full one, and the full one as what it exceeds the thread's clock
// (clocks.h) by; so an event is two or three additions. No Valgrind here.
#pragma once

#include "replay/event_parts.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::replay {

// All zeros is a valid empty object.
class WhatIf {
public:
    static constexpr u32 kSuspects = 20;
    static constexpr u32 kNoSuspect = ~u32{0};

    WhatIf() = default;
    WhatIf(const WhatIf&) = delete;
    WhatIf& operator=(const WhatIf&) = delete;
    ~WhatIf() { forget(); }

    // Until this is called nothing is computed.
    void start(u64 price) { price_ = price; }
    u64 price() const { return price_; }

    // `events` of the thread, of which `free` are false sharing of the suspect, or of none in particular.
    void events(u32 serial, u32 events, u32 free, u32 suspect);
    // When they came, by the replay.
    void came(Time when, u32 events, u32 suspect) {
        if (suspect != kNoSuspect) parts_[suspect].add(when, events);
    }
    // By how many thousandths the suspect's events vary in other runs.
    u64 varies_by(u32 suspect) const { return parts_[suspect].varies_by(); }
    // The thread's clock goes from `from` to `until`: it went on after `other` had got to `when` by its
    // clock. other = 0: not known.
    void went_on(u32 serial, Time from, Time until, u32 other, Time when);
    void acquired(u32 serial, Time now, Address lock, bool shared);
    void released(u32 serial, Time now, Address lock, bool shared);
    // How often another thread has taken the lock than the one before; null for words that are no lock, and
    // for those that come after the first some thousand.
    const u64* turns_of(Address lock) {
        LockTimes** const found = locks_.find(lock);
        return found == nullptr ? nullptr : &(*found)->turns;
    }
    // The thread has ended, or the run has, at this time of its clock.
    void ended(u32 serial, Time now);

    // From now on the suspect stands for something else, which has saved nothing yet.
    void renew(u32 suspect);
    // What `from` saves is added to `into`; `from` is renewed.
    void join(u32 into, u32 from);

    // The latest time at which a thread ended: the full one; without false sharing; without a suspect's;
    // without any event of a suspect.
    struct EndTimes {
        Time full = 0, without_all = 0;
        Time without[kSuspects] = {}, without_any[kSuspects] = {};
    };
    // `threads` that have not ended count as ended at `now` of their clocks.
    struct Living {
        u32 serial;
        Time now;
    };
    EndTimes end(const rt::Vector<Living>& threads) const;

    void forget();

private:
    // False sharing of each suspect; all events of each; all false sharing.
    static constexpr u32 kSaved = 2 * kSuspects + 1;
    static constexpr u32 kAll = 2 * kSuspects;
    // By clock time or full time, as said. saved <= excess, or <= the full time.
    struct Excess {
        Time excess = 0;  // of the full time over the clock
        Time saved[kSaved] = {};
    };
    struct Moment {
        Time full = 0;
        Time saved[kSaved] = {};
    };
    // Of threads that have ended only some are kept.
    static constexpr u32 kKept = 4096;
    static constexpr usize kMostLocks = 4096;
    struct LockTimes {
        Moment exclusive, shared;  // the latest releases
        u32 last = 0;              // serial of who took it last
        u64 turns = 0;
    };

    Excess& of(u32 serial);
    const Excess* find(u32 serial) const;
    static Moment moment(const Excess& excess, Time now);
    // The later one, for each of the times.
    static void raise(Moment& moment, const Moment& least);
    static void raise(Moment& moment, Time least);
    static void settle(Excess& excess, const Moment& moment, Time now);
    template <typename F>
    void for_each_saved(F f);

    u64 price_ = 0;
    rt::Vector<Excess*> threads_;  // by serial; null for those that had no event so far
    rt::HashMap<LockTimes*> locks_;
    Moment ended_;
    EventParts parts_[kSuspects] = {};
};

}  // namespace memspy::replay
