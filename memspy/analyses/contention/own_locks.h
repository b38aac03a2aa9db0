// SPDX-License-Identifier: GPL-2.0-or-later
//
// Locks of a program's own, known by what threads do to a word, in the order of the run:
//
//   take      an atomic read-modify-write while no thread holds it
//   give      a plain store, or a read-modify-write by other code than that which takes it, by the holder
//   attempt   a read-modify-write by another thread while it is held
//
// A word is a lock when some threads have taken and given it in turn, kTurns times in all, and it was given by plain
// stores, or another thread tried to take it while it was held. It is none if its holder takes it again
// (counters), if a thread that does not hold it gives it (reference counts, flags, slots of queues, barriers), or if
// more than a few places in the code take or give it: for good after kStrikes times, because the first holder is not
// known. Ticket locks have two words, and are not known here. No
// Valgrind here.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::contention {

// All zeros is a valid empty object.
class OwnLocks {
public:
    static constexpr u32 kTurns = 4, kStrikes = 4;
    static constexpr usize kMostWords = 1u << 16;

    enum class LockUse : u8 { None, Take, Give, Attempt, NoLock };  // NoLock: it was one, and is none now

    // An atomic read-modify-write by the instruction. None for words that are not (yet) known as locks. Plain stores
    // are told only of lines that are `observed`: of others nothing can be learnt.
    LockUse update(u32 serial, Address word, Address instruction, bool observed);
    LockUse store(u32 serial, Address word);  // plain
    // Another thread holds the lock at this word.
    bool is_held(u32 serial, Address word);
    // The word is a lock, or may be one.
    bool is_followed(Address word) {
        const LockWord* const known = words_.find(word);
        return known != nullptr && known->state != WordRole::None;
    }
    // The last update or store made its word a lock. Asked once.
    // Whether an update by this instruction takes the lock.
    bool takes(Address word, Address instruction) {
        const LockWord* const known = words_.find(word);
        return known != nullptr && has(known->takes, instruction);
    }
    bool is_new() {
        const bool result = new_;
        new_ = false;
        return result;
    }
    void forget(Address begin, usize bytes);
    void clear() { words_.clear(); }

private:
    static constexpr u32 kPlaces = 4;
    enum class WordRole : u8 { Open, Lock, None };
    struct LockWord {
        u32 holder, giver;  // serials; the giver is the last one
        u32 first;          // the first holder
        u8 turns, strikes;
        WordRole state;
        bool several, plain, contested;
        bool turned;  // at first takes were thought to be gives
        Address takes[kPlaces], gives[kPlaces];
    };
    static bool has(const Address* places, Address place);
    static bool add(Address* places, Address place);
    LockUse reject(LockWord& word);
    LockUse given(LockWord& word, u32 serial);

    rt::HashMap<LockWord> words_;
    bool new_ = false;
};

}  // namespace memspy::contention
