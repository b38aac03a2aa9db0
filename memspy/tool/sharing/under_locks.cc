// SPDX-License-Identifier: GPL-2.0-or-later
#include "sharing/under_locks.h"

#include <algorithm>

namespace memspy::sharing {

void UnderLocks::note(ObjectId object, replay::LockTaken held, u32 number, bool takes,
                      GuardLock (*look_up)(Address)) {
    if (object == ObjectId::None) return;
    LockedEvents& one = objects_[static_cast<u32>(object)];
    one.events += number;
    if (held.address == 0 || (held.shared && takes)) return;
    one.under += number;
    if (one.lock == held.address) {
        one.votes += number;
        return;
    }
    const u64 taken = std::min<u64>(one.votes, number);
    one.votes -= taken;
    if (one.votes != 0) return;
    one.lock = held.address;
    one.votes = number - taken;
    if (locks_.find(held.address) == nullptr && locks_.size() < kMostLocks)
        locks_[held.address] = look_up(held.address);
}

}  // namespace memspy::sharing
