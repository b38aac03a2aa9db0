// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is known of the accesses to a line of 64 bytes, as far as a later access can still race with them.
//
// An entry is one place in the code, by one strand in one part of its run (lines/observed_order.h), and the
// bytes that it touched. A byte is in at most one entry for each strand and kind of access: an access of a
// strand that comes later stands for the ones before. Accesses that are ordered before a store to the same
// byte can race with nothing that this store does not race with, so they go (FastTrack; Flanagan, Freund
// 2009). No Valgrind here.
#pragma once

#include "lines/lock_sets.h"
#include "rt/small_blocks.h"

namespace memspy::races {

using lines::LockSet;

inline constexpr u32 kLineBytes = 64;

// Number of a place in the code (PlaceNumbers).
enum class PlaceNumber : u32 {};

struct KnownAccess {
    u64 bytes = 0;  // of the line, one bit each
    PlaceNumber place{};
    u32 part = 0;  // of the strand's run
    LockSet held{};
    u16 strand = 0;
    bool stores : 1 = false;
    bool sums : 1 = false;       // the old value and something
    bool uses : 1 = false;       // what it loads: it is no mere sum
    bool atomic : 1 = false;     // a sum that nobody uses
    bool by_thread : 1 = false;  // by code that knows which thread it is
    bool frees : 1 = false;      // a store to a block at its end
};
static_assert(sizeof(KnownAccess) == 24);

inline constexpr char kHistoryMemory[] = "memspy.races.histories";
using HistoryMemory = rt::OnSmallBlocks<kHistoryMemory>;

// One host cache line, because there is one for each line that was touched. All zeros is a valid empty object.
class alignas(64) AccessHistory {
public:
    // Calls race(known) for each access that the new one races with: by another strand, to one of the bytes,
    // one of the two a store, and not before it (is_before(known)). Then the new one is part of the history.
    template <typename Before, typename Race>
    void add(const KnownAccess& access, Before is_before, Race race) {
        KnownAccess* const known_first = entries();
        u32 kept = 0;
        KnownAccess* same = nullptr;
        for (u32 i = 0; i < count_; ++i) {
            KnownAccess& known = known_first[i];
            u64 gone = 0;
            if (known.strand == access.strand) {
                if (known.stores == access.stores) {
                    if (is_alike(known, access))
                        same = &known_first[kept];
                    else if (stands_for(access, known))
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
            if (kept != i) known_first[kept] = known;
            ++kept;
        }
        count_ = static_cast<u16>(kept);
        if (same != nullptr)
            same->bytes |= access.bytes;
        else
            keep(access);
    }

    // Stores to the bytes, as they are known.
    template <typename F>
    void for_each_store(u64 bytes, F f) const {
        for (u32 i = 0; i < count_; ++i)
            if (const KnownAccess& known = entries()[i]; known.stores && (known.bytes & bytes) != 0) f(known);
    }

    // What further accesses of the strand in that part of its run teach nothing, if nobody else is known to have
    // been here: of a turn that was forgotten.
    void tell_own(u16 strand, u32 part, LockSet held, u64* loaded, u64* stored) const {
        u64 loads = 0, stores = 0;
        const KnownAccess* const known = entries();
        for (u32 i = 0; i < count_; ++i) {
            if (known[i].strand != strand) return;
            if (known[i].part == part && known[i].held == held)
                (known[i].stores ? stores : loads) |= known[i].bytes;
        }
        *loaded = loads | stores;
        *stored = stores;
    }

    // The bytes get another owner.
    void forget(u64 bytes) {
        KnownAccess* const known = entries();
        u32 kept = 0;
        for (u32 i = 0; i < count_; ++i) {
            known[i].bytes &= ~bytes;
            if (known[i].bytes != 0) known[kept++] = known[i];
        }
        count_ = static_cast<u16>(kept);
    }
    bool is_empty() const { return count_ == 0; }

    // Words of four bytes with which threads tell each other something: one bit each.
    u16 signals() const { return signals_; }
    void add_signals(u16 words) { signals_ |= words; }
    // Those that are summed up atomically, and nothing more.
    u16 counters() const { return static_cast<u16>(counters_ & ~signals_); }
    void add_counters(u16 words) { counters_ |= words; }
    void forget_words(u16 words) {
        counters_ &= static_cast<u16>(~words);
        signals_ &= static_cast<u16>(~words);
    }
    // It has words of either kind.
    bool is_special() const { return (signals_ | counters_) != 0; }

private:
    static constexpr u32 kInside = 2;  // entries without memory of their own
    // More than these are the accesses of many threads that only load; the oldest one goes.
    static constexpr u32 kMostEntries = 96;

    static bool is_alike(const KnownAccess& a, const KnownAccess& b) {
        return a.part == b.part && a.place == b.place && a.held == b.held && a.atomic == b.atomic;
    }
    // What races with the known access of the same strand races with the new one, too: an atomic access races with
    // less than a plain one, one under a lock with less than one without.
    static bool stands_for(const KnownAccess& access, const KnownAccess& known) {
        return (known.atomic || !access.atomic) &&
               (access.held == LockSet::None || access.held == known.held) && (access.uses || !known.uses);
    }
    KnownAccess* entries() { return more_ == nullptr ? inside_ : more_; }
    const KnownAccess* entries() const { return more_ == nullptr ? inside_ : more_; }
    void keep(const KnownAccess& access) {
        if (count_ == (more_ == nullptr ? kInside : room_)) {
            if (count_ == kMostEntries) {
                for (u32 i = 1; i < kMostEntries; ++i) more_[i - 1] = more_[i];
                --count_;
            } else {
                grow();
            }
        }
        entries()[count_++] = access;
    }
    void grow() {
        const u32 room = more_ == nullptr ? 2 * kInside : 2u * room_;
        const u32 most = room < kMostEntries ? room : kMostEntries;
        auto* to = static_cast<KnownAccess*>(HistoryMemory::allocate(most * sizeof(KnownAccess)));
        for (u32 i = 0; i < count_; ++i) to[i] = entries()[i];
        if (more_ != nullptr) HistoryMemory::release(more_, room_ * sizeof(KnownAccess));
        more_ = to;
        room_ = static_cast<u16>(most);
    }

    KnownAccess inside_[kInside] = {};
    KnownAccess* more_ = nullptr;  // all entries, once there were too many
    u16 room_ = 0, count_ = 0;
    u16 signals_ = 0, counters_ = 0;
};
static_assert(sizeof(AccessHistory) == 64);

}  // namespace memspy::races
