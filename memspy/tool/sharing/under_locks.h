// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which objects are protected by a lock: whose events come while the thread holds one, and which. Such an
// object goes from thread to thread with its lock, in whatever layout. No Valgrind here.
#pragma once

#include "replay/lock_queues.h"
#include "sharing/tally.h"

namespace memspy::sharing {

// A lock that protects something, as a word of an object.
struct GuardLock {
    ObjectId object{};
    u64 offset = 0;  // of the lock in the block or variable
};

// All zeros is a valid empty object.
class UnderLocks {
public:
    struct LockedEvents {
        Address lock = 0;  // under which most of its events come
        u64 votes = 0;     // for that one; what comes under others takes from them
        u64 under = 0, events = 0;
    };

    // `number` events of a thread that holds `held`. `takes`: its accesses take the line from others. Who
    // holds a lock with others is only protected from those who write. `look_up` names a lock, once.
    void note(ObjectId object, replay::LockTaken held, u32 number, bool takes, GuardLock (*look_up)(Address));
    // Null: it had no events.
    const LockedEvents* find(ObjectId object) { return objects_.find(static_cast<u32>(object)); }
    GuardLock lock(Address a) {
        const GuardLock* const known = locks_.find(a);
        return known == nullptr ? GuardLock{} : *known;
    }
    void clear() {
        objects_.clear();
        locks_.clear();
    }

private:
    static constexpr usize kMostLocks = 4096;  // that have names

    rt::HashMap<LockedEvents> objects_;
    rt::HashMap<GuardLock> locks_;
};

}  // namespace memspy::sharing
