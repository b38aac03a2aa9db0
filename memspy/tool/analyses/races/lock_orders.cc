// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/lock_orders.h"

namespace memspy::races {
namespace {

// Whether two threads may be where the locks are taken at once: a lock that is held at both lets only one of them come
// there, unless both only read.
bool may_meet(const LockTake& a, const LockTake& b, lines::LockSets& sets) {
    LockSet both = sets.common(a.held, b.held);
    sets.for_each(sets.common(a.read, b.read), [&](Address lock) { both = sets.without(both, lock); });
    return both == LockSet::None;
}

// The taker of the lock waits for who holds it.
bool must_wait(const LockTake& taker, const LockTake& holder) {
    return !taker.shared || !holder.before_shared;
}

// The last one leads back to the first. One thread alone does not wait for itself.
bool is_circle(const LockCircle& circle) {
    bool several = false;
    for (u32 i = 1; i < circle.locks; ++i) several |= circle.takes[i].thread != circle.takes[0].thread;
    return several && must_wait(circle.takes[circle.locks - 1], circle.takes[0]);
}

}  // namespace

u64 LockOrders::pair_of(const LockTake& take) {
    return mix(take.before << 2 | u64{take.before_shared} << 1 | u64{take.shared}, take.lock);
}
u64 LockOrders::key_of(const LockTake& take) {
    return mix(pair_of(take), u64{take.thread} << 32 | static_cast<u32>(take.held));
}

// The circle has a way up to here: the next take begins with the lock of the last one.
bool LockOrders::find_way(LockCircle* circle, Address to, lines::LockSets& sets) const {
    const LockTake& last = circle->takes[circle->locks - 1];
    if (circle->locks == LockCircle::kMost) return false;
    for (const LockTake& next : takes_) {
        if (next.before != last.lock || !must_wait(last, next)) continue;
        bool fits = true;
        for (u32 i = 0; i < circle->locks; ++i) fits = fits && may_meet(circle->takes[i], next, sets);
        if (!fits) continue;
        circle->takes[circle->locks++] = next;
        if (next.lock == to ? is_circle(*circle) : find_way(circle, to, sets)) return true;
        --circle->locks;
    }
    return false;
}

bool LockOrders::add(const LockTake& take, lines::LockSets& sets, LockCircle* circle) {
    const u64 key = key_of(take);
    if (known_.find(key) != nullptr) return false;
    if (u8& count = of_pair_[pair_of(take)]; count < kMostOfPair) {
        ++count;
        takes_.push_back(take);
    }
    known_[key] = true;
    circle->takes[0] = take;
    circle->locks = 1;
    if (!find_way(circle, take.before, sets)) return false;
    u64 name = 0;
    for (u32 i = 0; i < circle->locks; ++i) name += pair_of(circle->takes[i]);
    bool& is_reported = reported_[name];
    const bool is_new = !is_reported;
    is_reported = true;
    return is_new;
}

void LockOrders::forget(Address first, usize bytes) {
    for (usize i = takes_.size(); i-- > 0;) {
        const LockTake take = takes_[i];
        if (take.before - first >= bytes && take.lock - first >= bytes) continue;
        known_.erase(key_of(take));
        of_pair_.erase(pair_of(take));
        takes_[i] = takes_.back();
        takes_.pop_back();
    }
}

}  // namespace memspy::races
