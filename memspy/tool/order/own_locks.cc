// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/own_locks.h"

#include "order/rules.h"

namespace memspy::order {
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

OwnLocks::LockAct OwnLocks::reject(LockWord& word, Address address) {
    const bool was_lock = word.state == WordRole::Lock;
    const u8 strikes = static_cast<u8>(word.strikes + 1);
    const bool retried = word.retried;
    const Address display = word.other;
    tear_tickets(address);
    word = LockWord{};
    word.strikes = strikes;
    word.retried = retried;
    if (strikes == rules::kStrikes) word.state = WordRole::None;
    if (display != 0) words_.erase(display);  // `word` may have moved
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

OwnLocks::LockAct OwnLocks::given(LockWord& word, Address address, u32 serial) {
    word.several |= word.first != serial;
    word.giver = serial;
    if (word.plain)
        next_holder(word, address);
    else
        word.holder = 0;
    if (word.state == WordRole::Lock) return {LockUse::Give, address};
    if (word.turns < rules::kTurns) ++word.turns;
    const bool only_adds = word.kinds == kind_bit(log::UpdateKind::Add);
    if (word.turns == rules::kTurns && word.several &&
        (word.plain || (word.contested && !only_adds) || is_proof(word.kinds))) {
        word.state = WordRole::Lock;
        new_ = true;
        return {LockUse::Give, address};
    }
    return {LockUse::None, address};
}

OwnLocks::LockAct OwnLocks::update(u32 serial, Address address, Address instruction, log::UpdateKind kind,
                                   bool observed) {
    using log::UpdateKind;
    if (words_.size() >= kMostWords && words_.find(address) == nullptr) return {};
    asked_.erase(serial);
    LockWord& word = words_[address];
    if (word.state == WordRole::None) return {};
    if (word.state == WordRole::Display) return store(serial, address);
    if (!observed) {
        word.holder = 0;
        tear_tickets(address);
        return {};
    }
    const bool lock = word.state == WordRole::Lock;
    const bool adds = kind == UpdateKind::Add;
    if (adds && !word.retried && !tickets_.empty() && word.holder != serial && is_in(serial, address)) {
        word.retried = true;
        tear_tickets(address);
        return {lock ? LockUse::NoLock : LockUse::None, address};
    }
    if (word.holder == serial && word.by_ticket && word.other == 0) {
        word.retried = true;
        word.by_ticket = false;
        tear_tickets(address);
        return {};  // it is here that the thread takes the lock
    }
    if (word.spinner != 0) {
        if (has(word.takes, instruction)) {
            if (++word.spins == rules::kMostSpins) word.state = WordRole::None;
            return {};
        }
        word.spinner = 0;
        word.giver = serial;
        add(word.gives, instruction);
        return {};
    }
    if (word.holder == serial) {
        if (has(word.takes, instruction) && !adds && !lock) {
            word.holder = 0;
            word.spinner = serial;
            return {};
        }
        if (has(word.takes, instruction) || !add(word.gives, instruction)) return reject(word, address);
        word.kinds |= kind_bit(kind);
        return given(word, address, serial);
    }
    // Its line was first observed while it was held, so the first give was thought to be a take.
    if (has(word.gives, instruction) && !lock && !word.turned) {
        for (u32 i = 0; i < rules::kLockPlaces; ++i) {
            const Address take = word.takes[i];
            word.takes[i] = word.gives[i];
            word.gives[i] = take;
        }
        word.turned = true;
        word.turns = 0;
        word.holder = word.holder == 0 ? word.giver : 0;
    }
    const bool same_code = has(word.takes, instruction);
    if (has(word.gives, instruction) || (!word.plain && !add(word.takes, instruction)))
        return reject(word, address);
    word.kinds |= kind_bit(kind);
    word.several |= same_code && word.holder != 0;
    const bool ticket = word.kinds == kind_bit(UpdateKind::Add) && !word.retried && word.gives[0] == 0;
    if (ticket && !lock) asked_[serial] = address;
    if (word.holder != 0) {
        word.contested = true;
        if (ticket) {
            // A thread waits for one turn at a time: an older ticket was none.
            tear_tickets([&](const Ticket& older) { return older.serial == serial; });
            tickets_.push_back({address, serial});
        }
        return {!lock ? LockUse::None : ticket ? LockUse::Take : LockUse::Attempt, address};
    }
    word.holder = serial;
    word.by_ticket = false;
    if (word.first == 0) word.first = serial;
    return {lock ? LockUse::Take : LockUse::None, address};
}

OwnLocks::LockAct OwnLocks::store(u32 serial, Address address) {
    LockWord* word = words_.find(address);
    if (word == nullptr || word->state == WordRole::None) return {};
    if (word->state == WordRole::Display) {
        address = word->other;
        word = words_.find(address);
        if (word == nullptr) return {};
        if (word->holder != serial) {
            // It took its ticket before the line was observed, so those known are later ones.
            if (word->state == WordRole::Open && !is_in(serial, address)) return {};
            return reject(*word, address);
        }
    }
    if (word->spinner != 0) {
        word->spinner = 0;
        word->giver = serial;
        word->plain = true;
        return {};
    }
    if (word->holder == serial) {
        word->plain = true;
        return given(*word, address, serial);
    }
    // A lock may be given in two steps, of which another thread has tried to take the first.
    if (word->giver == serial && !word->plain) {
        const bool taken = word->holder != 0 && word->state == WordRole::Lock;
        word->holder = 0;
        return {taken ? LockUse::NoLock : LockUse::None, address};
    }
    // Initialised, or taken before its line was observed.
    if (word->holder == 0 && word->state == WordRole::Open) return {};
    return reject(*word, address);
}

bool OwnLocks::load(u32 serial, Address address) {
    const Address lock = *asked_.find(serial);
    asked_.erase(serial);
    LockWord* const word = words_.find(lock);
    if (word == nullptr || word->state != WordRole::Open || address == lock || word->other == address)
        return false;
    if (word->other != 0) {
        reject(*word, lock);
        return false;
    }
    if (words_.find(address) != nullptr || words_.size() >= kMostWords) return false;
    word->other = address;
    LockWord& display = words_[address];  // `word` may have moved
    display.state = WordRole::Display;
    display.other = lock;
    return true;
}

void OwnLocks::sleeps_on(u32 serial, Address address) {
    LockWord* const word = words_.find(address);
    if (word == nullptr || word->state != WordRole::Open || word->holder != serial || word->by_ticket) return;
    word->holder = 0;
    word->spinner = serial;
}

bool OwnLocks::is_held(u32 serial, Address address) {
    const LockWord* word = words_.find(address);
    if (word != nullptr && word->state == WordRole::Display) word = words_.find(word->other);
    return word != nullptr && word->state == WordRole::Lock && word->holder != 0 && word->holder != serial;
}

bool OwnLocks::is_in(u32 serial, Address lock) {
    const LockWord* const word = words_.find(lock);
    if (word != nullptr && word->holder == serial) return true;
    for (const Ticket& ticket : tickets_)
        if (ticket.lock == lock && ticket.serial == serial) return true;
    return false;
}

void OwnLocks::forget(Address begin, usize bytes) {
    if (words_.empty()) return;
    tear_tickets([&](const Ticket& ticket) { return ticket.lock >= begin && ticket.lock < begin + bytes; });
    for (const Address at : words_.keys_in(begin, bytes, 1)) forget_word(at);
}

void OwnLocks::forget_word(Address at) {
    const LockWord* const word = words_.find(at);
    if (word == nullptr) return;
    const Address display = word->state == WordRole::Display ? 0 : word->other;
    words_.erase(at);
    if (display != 0) words_.erase(display);
}

}  // namespace memspy::order
