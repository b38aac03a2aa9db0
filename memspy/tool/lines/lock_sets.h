// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sets of locks that threads hold, by number. No Valgrind here.
#pragma once

#include "lines/rules.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::lines {

enum class LockSet : u32 { None };

// All zeros is a valid empty object.
class LockSets {
public:
    LockSet with(LockSet set, Address lock) {
        Locks locks = locks_of(set);
        for (usize i = 0; i < locks.count; ++i)
            if (locks.of[i] == lock) return set;
        if (locks.count == rules::kMostLocksHeld) return set;
        usize at = locks.count++;
        for (; at > 0 && locks.of[at - 1] > lock; --at) locks.of[at] = locks.of[at - 1];
        locks.of[at] = lock;
        return number_of(locks);
    }
    LockSet without(LockSet set, Address lock) {
        const Locks locks = locks_of(set);
        Locks kept{};
        for (usize i = 0; i < locks.count; ++i)
            if (locks.of[i] != lock) kept.of[kept.count++] = locks.of[i];
        return kept.count == locks.count ? set : number_of(kept);
    }
    LockSet common(LockSet a, LockSet b) {
        if (a == b || a == LockSet::None) return a;
        if (b == LockSet::None) return b;
        const Locks first = locks_of(a), second = locks_of(b);
        Locks both{};
        for (usize i = 0, j = 0; i < first.count && j < second.count;) {
            if (first.of[i] == second.of[j]) {
                both.of[both.count++] = first.of[i];
                ++i;
                ++j;
            } else if (first.of[i] < second.of[j]) {
                ++i;
            } else {
                ++j;
            }
        }
        return number_of(both);
    }

    // Calls f(lock) for each lock of the set.
    template <typename F>
    void for_each(LockSet set, F f) const {
        const Locks locks = locks_of(set);
        for (usize i = 0; i < locks.count; ++i) f(locks.of[i]);
    }

private:
    struct Locks {
        usize count;
        Address of[rules::kMostLocksHeld];  // ascending
    };
    Locks locks_of(LockSet set) const {
        return set == LockSet::None ? Locks{} : known_[static_cast<usize>(set) - 1].locks;
    }
    LockSet number_of(const Locks& locks) {
        if (locks.count == 0) return LockSet::None;
        u64 hash = locks.count;
        for (usize i = 0; i < locks.count; ++i) hash = (hash ^ locks.of[i]) * 0x9E3779B97F4A7C15u;
        u32& first = first_[hash];
        for (u32 at = first; at != 0; at = known_[at - 1].next)
            if (is_same(known_[at - 1].locks, locks)) return LockSet{at};
        known_.push_back({locks, first});
        first = static_cast<u32>(known_.size());
        return LockSet{first};
    }
    static bool is_same(const Locks& a, const Locks& b) {
        if (a.count != b.count) return false;
        for (usize i = 0; i < a.count; ++i)
            if (a.of[i] != b.of[i]) return false;
        return true;
    }

    struct KnownSet {
        Locks locks;
        u32 next;  // index + 1 of another one with the same hash
    };
    rt::Vector<KnownSet> known_;
    rt::HashMap<u32> first_;  // index + 1, by hash
};

}  // namespace memspy::lines
