// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/own_locks.h"

#include <new>

namespace memspy::sync {
namespace {

u8 kind_bit(log::UpdateKind kind) { return static_cast<u8>(1u << static_cast<u32>(kind)); }

}  // namespace

bool OwnLocks::has(const Address* places, Address place) {
    for (u32 i = 0; i < rules::kLockPlaces; ++i)
        if (places[i] == place) return true;
    return false;
}

// False if there is no room.
bool OwnLocks::add(Address* places, Address place) {
    if (has(places, place)) return true;
    for (u32 i = 0; i < rules::kLockPlaces; ++i)
        if (places[i] == 0) {
            places[i] = place;
            return true;
        }
    return false;
}

bool OwnLocks::is_proof(u8 kinds) {
    using log::UpdateKind;
    if (kinds & kind_bit(UpdateKind::Replace)) return true;
    return (kinds & kind_bit(UpdateKind::Other)) &&
           (kinds & (kind_bit(UpdateKind::Add) | kind_bit(UpdateKind::Compute)));
}

OwnLocks::LockAct OwnLocks::reject(SyncWord& word, Address address) {
    const bool was_lock = is_lock(word);
    tear_tickets(address);
    words_->is_no_lock(address, word);
    LockWord anew;
    anew.turns = word.lock->turns;
    anew.turns.strike();
    anew.retried = word.lock->retried;
    anew.kinds = word.lock->kinds;
    *word.lock = anew;
    return {was_lock ? LockUse::NoLock : LockUse::None, address};
}

void OwnLocks::tear_tickets(Address lock) {
    tear_tickets([&](const Ticket& ticket) { return ticket.lock == lock; });
}

void OwnLocks::next_holder(LockWord& word, Address address) {
    word.holder = 0;
    for (usize i = 0; i < tickets_.size(); ++i) {
        if (tickets_[i].lock != address) continue;
        word.holder = tickets_[i].serial;
        for (usize k = i + 1; k < tickets_.size(); ++k) tickets_[k - 1] = tickets_[k];
        tickets_.resize(tickets_.size() - 1);
        break;
    }
    word.by_ticket = word.holder != 0;
}

OwnLocks::LockAct OwnLocks::given(SyncWord& word, Address address, u32 serial) {
    LockWord& lock = *word.lock;
    lock.several |= lock.first != serial;
    lock.giver = serial;
    if (lock.plain)
        next_holder(lock, address);
    else
        lock.holder = 0;
    if (is_lock(word)) return {LockUse::Give, address};
    const bool only_adds = lock.kinds == kind_bit(log::UpdateKind::Add);
    // Who polled it and then updated it has waited for it.
    const bool waited_for = word.state == WordState::Mutex;
    if (!lock.turns.add(waited_for ? 1 : rules::kTurns) || !lock.several ||
        !(lock.plain || (lock.contested && !only_adds) || is_proof(lock.kinds)))
        return {LockUse::None, address};
    new_ = true;
    words_->become(address, word, WordState::OwnLock);
    return {LockUse::Give, address};
}

OwnLocks::LockAct OwnLocks::update(u32 serial, Address address, Address instruction, log::UpdateKind kind,
                                   bool observed, const log::WordChange& change) {
    using log::UpdateKind;
    if (!words_->has_room_for_update() && words_->find(address) == nullptr) return {};
    asked_.erase(serial);
    SyncWord& word = words_->at(address);
    if (word.shows != 0) return store(serial, address);
    if (word.lock == nullptr) word.lock = new (rt::allocate(sizeof(LockWord), "memspy.lock_word")) LockWord;
    if (!may_be_lock(word)) return {};
    LockWord& lock = *word.lock;
    lock.kinds |= kind_bit(kind);
    if (!observed) {
        lock.holder = 0;
        tear_tickets(address);
        return {};
    }
    const bool known = is_lock(word);
    if (!change.any()) {
        // Who waits may have marked the word before, and seemed to take it.
        if (lock.holder == serial && !known) lock.holder = 0;
        if (lock.holder == 0 || lock.holder == serial) return {};
        lock.contested = true;
        return {known ? LockUse::Attempt : LockUse::None, address};
    }
    const bool adds = kind == UpdateKind::Add;
    if (adds && !lock.retried && !tickets_.empty() && lock.holder != serial && is_in(serial, address)) {
        lock.retried = true;
        tear_tickets(address);
        return {known ? LockUse::NoLock : LockUse::None, address};
    }
    if (lock.holder == serial && lock.by_ticket && lock.display == 0) {
        lock.retried = true;
        lock.by_ticket = false;
        tear_tickets(address);
        return {};  // it is here that the thread takes the lock
    }
    if (lock.holder == serial) {
        if (has(lock.takes, instruction) || !add(lock.gives, instruction)) return reject(word, address);
        return given(word, address, serial);
    }
    // Its line was first observed while it was held, so the first give was thought to be a take.
    if (has(lock.gives, instruction) && !known && !lock.turned) {
        for (u32 i = 0; i < rules::kLockPlaces; ++i) {
            const Address take = lock.takes[i];
            lock.takes[i] = lock.gives[i];
            lock.gives[i] = take;
        }
        lock.turned = true;
        lock.turns.begin_anew();
        lock.holder = lock.holder == 0 ? lock.giver : 0;
    }
    const bool same_code = has(lock.takes, instruction);
    if (has(lock.gives, instruction) || (!lock.plain && !add(lock.takes, instruction)))
        return reject(word, address);
    lock.several |= same_code && lock.holder != 0;
    const bool ticket = lock.kinds == kind_bit(UpdateKind::Add) && !lock.retried && lock.gives[0] == 0;
    if (ticket && !known) asked_[serial] = address;
    if (lock.holder != 0) {
        // Who waits tries again at one place. Who then updates at another gives what it had, and the holder
        // has only tried.
        const bool gives = lock.tried_by == serial && lock.tried_at != instruction;
        if (gives && !known && !ticket && lock.gives[0] == 0) {
            LockWord anew;
            anew.turns = lock.turns;
            anew.kinds = lock.kinds;
            anew.first = anew.giver = serial;
            add(anew.takes, lock.tried_at);
            add(anew.gives, instruction);
            words_->is_no_lock(address, word);
            lock = anew;
            return {};
        }
        lock.tried_by = serial;
        lock.tried_at = instruction;
        lock.contested = true;
        if (ticket) {
            // A thread waits for one turn at a time: an older ticket was none.
            tear_tickets([&](const Ticket& older) { return older.serial == serial; });
            tickets_.push_back({address, serial});
        }
        return {!known ? LockUse::None : ticket ? LockUse::Take : LockUse::Attempt, address};
    }
    // A lock that is not held has one value.
    if (!ticket && !known && change.before != lock.free) lock.turns.begin_anew();
    lock.free = change.before;
    lock.holder = serial;
    lock.by_ticket = false;
    if (lock.first == 0) lock.first = serial;
    return {known ? LockUse::Take : LockUse::None, address};
}

OwnLocks::LockAct OwnLocks::store(u32 serial, Address address) {
    SyncWord* word = words_->find(address);
    if (word == nullptr) return {};
    const bool shows = word->shows != 0;
    if (shows) {
        address = word->shows;
        word = words_->find(address);
    }
    if (!may_be_lock(*word)) return {};
    LockWord& lock = *word->lock;
    if (shows && lock.holder != serial) {
        // It took its ticket before the line was observed, so those known are later ones.
        if (!is_lock(*word) && !is_in(serial, address)) return {};
        return reject(*word, address);
    }
    if (lock.holder == serial) {
        lock.plain = true;
        return given(*word, address, serial);
    }
    // A lock may be given in two steps, of which another thread has tried to take the first.
    if (lock.giver == serial && !lock.plain) {
        const bool taken = lock.holder != 0 && is_lock(*word);
        lock.holder = 0;
        return {taken ? LockUse::NoLock : LockUse::None, address};
    }
    // Initialised, or taken before its line was observed.
    if (lock.holder == 0 && !is_lock(*word)) return {};
    return reject(*word, address);
}

bool OwnLocks::load(u32 serial, Address address) {
    const Address at = *asked_.find(serial);
    asked_.erase(serial);
    SyncWord* const word = words_->find(at);
    if (word == nullptr || !may_be_lock(*word) || is_lock(*word) || address == at ||
        word->lock->display == address)
        return false;
    if (word->lock->display != 0) {
        reject(*word, at);
        return false;
    }
    if (!words_->has_room_for_update() && words_->find(address) == nullptr) return false;
    SyncWord& display = words_->at(address);
    // The turns before may have been given by exchanges. What threads add to may be any counter.
    if (display.shows != 0) return false;
    if (display.lock != nullptr) {
        if (is_lock(display) || display.lock->kinds != kind_bit(log::UpdateKind::Replace)) return false;
        rt::release(display.lock);
        display.lock = nullptr;
    }
    words_->begin_display(at, address);
    return true;
}

bool OwnLocks::is_held(u32 serial, Address address) {
    const SyncWord* word = words_->find(address);
    if (word != nullptr && word->shows != 0) word = words_->find(word->shows);
    return word != nullptr && word->lock != nullptr && is_lock(*word) && word->lock->holder != 0 &&
           word->lock->holder != serial;
}

bool OwnLocks::is_in(u32 serial, Address lock) {
    const LockWord* const word = lock_at(lock);
    if (word != nullptr && word->holder == serial) return true;
    for (const Ticket& ticket : tickets_)
        if (ticket.lock == lock && ticket.serial == serial) return true;
    return false;
}

void OwnLocks::forget(Address begin, usize bytes) {
    tear_tickets([&](const Ticket& ticket) { return ticket.lock >= begin && ticket.lock < begin + bytes; });
}

void OwnLocks::clear() {
    if (words_ != nullptr) words_->forget_locks();
    asked_.clear();
    tickets_.clear();
}

}  // namespace memspy::sync
