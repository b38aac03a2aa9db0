// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/own_locks.h"

namespace memspy::contention {

bool OwnLocks::has(const Address* places, Address place) {
    for (u32 i = 0; i < kPlaces; ++i)
        if (places[i] == place) return true;
    return false;
}

// False if there is no room.
bool OwnLocks::add(Address* places, Address place) {
    if (has(places, place)) return true;
    for (u32 i = 0; i < kPlaces; ++i)
        if (places[i] == 0) {
            places[i] = place;
            return true;
        }
    return false;
}

OwnLocks::LockUse OwnLocks::reject(LockWord& word) {
    const bool was_lock = word.state == WordRole::Lock;
    const u8 strikes = static_cast<u8>(word.strikes + 1);
    word = LockWord{};
    word.strikes = strikes;
    if (strikes == kStrikes) word.state = WordRole::None;
    return was_lock ? LockUse::NoLock : LockUse::None;
}

OwnLocks::LockUse OwnLocks::given(LockWord& word, u32 serial) {
    word.several |= word.first != serial;
    word.holder = 0;
    word.giver = serial;
    if (word.state == WordRole::Lock) return LockUse::Give;
    if (word.turns < kTurns) ++word.turns;
    if (word.turns == kTurns && word.several && (word.plain || word.contested)) {
        word.state = WordRole::Lock;
        new_ = true;
        return LockUse::Give;
    }
    return LockUse::None;
}

OwnLocks::LockUse OwnLocks::update(u32 serial, Address address, Address instruction, bool observed) {
    if (words_.size() >= kMostWords && words_.find(address) == nullptr) return LockUse::None;
    LockWord& word = words_[address];
    if (word.state == WordRole::None) return LockUse::None;
    if (!observed) {
        word.holder = 0;
        return LockUse::None;
    }
    const bool lock = word.state == WordRole::Lock;
    if (word.holder == serial) {
        if (has(word.takes, instruction) || !add(word.gives, instruction)) return reject(word);
        return given(word, serial);
    }
    // Its line was first observed while it was held, so the first give was thought to be a take.
    if (has(word.gives, instruction) && !lock && !word.turned) {
        for (u32 i = 0; i < kPlaces; ++i) {
            const Address take = word.takes[i];
            word.takes[i] = word.gives[i];
            word.gives[i] = take;
        }
        word.turned = true;
        word.turns = 0;
        word.holder = word.holder == 0 ? word.giver : 0;
    }
    if (has(word.gives, instruction) || (!word.plain && !add(word.takes, instruction))) return reject(word);
    if (word.holder != 0) {
        word.contested = true;
        return lock ? LockUse::Attempt : LockUse::None;
    }
    word.holder = serial;
    if (word.first == 0) word.first = serial;
    return lock ? LockUse::Take : LockUse::None;
}

OwnLocks::LockUse OwnLocks::store(u32 serial, Address address) {
    LockWord* const word = words_.find(address);
    if (word == nullptr || word->state == WordRole::None) return LockUse::None;
    if (word->holder == serial) {
        word->plain = true;
        return given(*word, serial);
    }
    // A lock may be given in two steps, of which another thread has tried to take the first.
    if (word->giver == serial && !word->plain) {
        const bool taken = word->holder != 0 && word->state == WordRole::Lock;
        word->holder = 0;
        return taken ? LockUse::NoLock : LockUse::None;
    }
    // Initialised, or taken before its line was observed.
    if (word->holder == 0 && word->state == WordRole::Open) return LockUse::None;
    return reject(*word);
}

bool OwnLocks::is_held(u32 serial, Address address) {
    const LockWord* const word = words_.find(address);
    return word != nullptr && word->state == WordRole::Lock && word->holder != 0 && word->holder != serial;
}

void OwnLocks::forget(Address begin, usize bytes) {
    if (words_.empty()) return;
    if (bytes <= words_.size()) {
        for (Address at = begin; at < begin + bytes; ++at) words_.erase(at);
        return;
    }
    rt::Vector<Address> inside;
    words_.for_each([&](u64 at, LockWord&) {
        if (at >= begin && at < begin + bytes) inside.push_back(at);
    });
    for (const Address at : inside) words_.erase(at);
}

}  // namespace memspy::contention
