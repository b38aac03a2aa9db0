// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is known of the accesses to a line of 64 bytes, as far as a later access can still race with them.
//
// An entry is one place in the code, by one thread in one part of its run (order/observed_order.h), and the
// bytes that it touched. A byte is in at most one entry for each thread and kind of access: an access of a
// thread that comes later stands for the ones before. Accesses that are ordered before a store to the same
// byte can race with nothing that this store does not race with, so they go (FastTrack; Flanagan, Freund
// 2009). No Valgrind here.
#pragma once

#include "order/lock_sets.h"
#include "places/place.h"
#include "rt/vector.h"

namespace memspy::races {

using order::LockSet;
using places::Place;

inline constexpr u32 kLineBytes = 64;

struct KnownAccess {
    u64 bytes = 0;  // of the line, one bit each
    Place place;
    u32 slot = 0;    // of its clock: a thread's or a task's
    u32 serial = 0;  // of the thread
    u32 part = 0;    // of its run
    LockSet held{};
    bool stores = false;
    bool sums = false;       // the old value and something
    bool atomic = false;     // a sum that nobody uses
    bool by_thread = false;  // by code that knows which thread it is
};

class AccessHistory {
public:
    // Whether the thread has accessed these bytes in this part of its run before, with nobody in between: for
    // a store, stored to them. Then the access teaches nothing.
    bool is_repeated(u32 slot, u32 part, u64 bytes, bool stores) const {
        return slot == slot_ && part == part_ && (bytes & ~(stores ? stored_ : stored_ | loaded_)) == 0;
    }

    // The same for bytes that it loads and bytes that it stores to, none of them signals.
    bool is_repeated(u32 slot, u32 part, u64 loaded, u64 stored) const {
        return slot == slot_ && part == part_ && (signals_ | counters_) == 0 && (stored & ~stored_) == 0 &&
               (loaded & ~(stored_ | loaded_)) == 0;
    }

    // Calls race(known) for each access that the new one races with: by another thread, to one of the bytes,
    // one of the two a store, and not before it (is_before(known)). Then the new one is part of the history.
    template <typename Before, typename Race>
    void add(const KnownAccess& access, Before is_before, Race race) {
        begin_turn(access.slot, access.part);
        (access.stores ? stored_ : loaded_) |= access.bytes;
        usize kept = 0;
        KnownAccess* same = nullptr;
        for (KnownAccess& known : entries_) {
            u64 gone = 0;
            if (known.slot == access.slot) {
                if (known.stores == access.stores) {
                    if (is_alike(known, access))
                        same = &entries_[kept];
                    else
                        gone = known.bytes & access.bytes;
                }
            } else if ((known.bytes & access.bytes) != 0) {
                const bool before = is_before(known);
                if (!before && (known.stores || access.stores)) race(known);
                if (before && (access.stores || !known.stores)) gone = known.bytes & access.bytes;
            }
            if (gone != 0) {
                known.bytes &= ~gone;
                if (known.bytes == 0) continue;
            }
            if (KnownAccess& to = entries_[kept++]; &to != &known) to = known;
        }
        entries_.resize(kept);
        if (same != nullptr)
            same->bytes |= access.bytes;
        else
            keep(access);
    }

    // Stores of other threads to the bytes, as they are known.
    template <typename F>
    void for_each_store(u64 bytes, F f) const {
        for (const KnownAccess& known : entries_)
            if (known.stores && (known.bytes & bytes) != 0) f(known);
    }

    // The bytes get another owner.
    void forget(u64 bytes) {
        loaded_ &= ~bytes;
        stored_ &= ~bytes;
        usize kept = 0;
        for (const KnownAccess& known : entries_)
            if ((known.bytes & ~bytes) != 0) {
                entries_[kept] = known;
                entries_[kept++].bytes &= ~bytes;
            }
        entries_.resize(kept);
    }

    // Words of four bytes with which threads tell each other something: one bit each.
    u16 signals() const { return signals_; }
    void add_signals(u16 words) { signals_ |= words; }
    // Those that are summed up atomically, and nothing more.
    u16 counters() const { return static_cast<u16>(counters_ & ~signals_); }
    void add_counters(u16 words) { counters_ |= words; }
    void forget_counters(u16 words) { counters_ &= static_cast<u16>(~words); }
    void forget_signals(u16 words) { signals_ &= static_cast<u16>(~words); }

private:
    // More than these are the accesses of many threads that only load; the oldest one goes.
    static constexpr usize kMostEntries = 96;

    static bool is_alike(const KnownAccess& a, const KnownAccess& b) {
        return a.part == b.part && a.place == b.place && a.held == b.held && a.atomic == b.atomic;
    }
    void begin_turn(u32 slot, u32 part) {
        if (slot == slot_ && part == part_) return;
        slot_ = slot;
        part_ = part;
        loaded_ = stored_ = 0;
    }
    void keep(const KnownAccess& access) {
        if (entries_.size() == kMostEntries) {
            for (usize i = 1; i < kMostEntries; ++i) entries_[i - 1] = entries_[i];
            entries_.pop_back();
        }
        entries_.push_back(access);
    }

    rt::Vector<KnownAccess> entries_;
    u64 loaded_ = 0, stored_ = 0;  // in the present turn
    u32 slot_ = ~u32{0}, part_ = 0;
    u16 signals_ = 0, counters_ = 0;
};

}  // namespace memspy::races
