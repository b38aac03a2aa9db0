// SPDX-License-Identifier: GPL-2.0-or-later
//
// Orders in which threads take locks. A *take* is a lock that a thread took while it held another one. Takes lead
// from the lock held to the lock taken; if they lead in a circle, not all by one thread, and no two of them under a
// common lock, then threads may wait for each other for good (Havelund 2000). No Valgrind here.
#pragma once

#include "lines/lock_sets.h"
#include "places/place.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::races {

using lines::LockSet;
using places::Place;

inline u64 mix(u64 a, u64 b) { return (a ^ b * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u; }  // of keys

struct LockTake {
    Address before = 0, lock = 0;
    bool before_shared = false, shared = false;  // on the readers' side
    Place place;
    u32 thread = 0;  // serial
    LockSet held{};  // all locks held
    LockSet read{};  // those of them on the readers' side
};

// The take that closes the cycle first, then those that lead back from its lock.
struct LockCircle {
    static constexpr u32 kMost = 6;
    LockTake takes[kMost];
    u32 locks = 0;
};

// All zeros is a valid empty object.
class LockOrders {
public:
    // Returns whether the take closes a circle that was not closed before.
    bool add(const LockTake& take, lines::LockSets& sets, LockCircle* circle);
    // The memory gets another use.
    void forget(Address first, usize bytes);

private:
    // Of one lock taken under another one: different threads and further locks.
    static constexpr u8 kMostOfPair = 8;
    static u64 pair_of(const LockTake& take);
    static u64 key_of(const LockTake& take);
    bool find_way(LockCircle* circle, Address to, lines::LockSets& sets) const;

    rt::Vector<LockTake> takes_;
    rt::HashMap<bool> known_;     // by take
    rt::HashMap<u8> of_pair_;     // how many
    rt::HashMap<bool> reported_;  // by the pairs of the circle
};

}  // namespace memspy::races
