// SPDX-License-Identifier: GPL-2.0-or-later
//
// Locks of a program's own, known by what threads do to a word, in the order of the run:
//
//   take      an atomic read-modify-write while no thread holds it
//   give      a plain store, or a read-modify-write by other code than that which takes it, by the holder
//   attempt   a read-modify-write by another thread while it is held, or one that leaves the word as it was: it
//             takes and gives nothing, whoever holds the lock
//
// A word is a lock when some threads have taken and given it in turn, rules::kTurns times in all, or once if
// somebody has waited for it; each take found the same value; and one of these is true:
//
// * it was given by plain stores;
// * it was exchanged, which is also how compilers write stores of sequential consistency;
// * it was both compared and computed (a futex mutex that is decremented). If all updates are sums, it may be a
//   reference count; if all are comparisons, a list; if all are other computations, a set of bits;
// * another thread tried to take it while it was held, and not all updates are sums: who counts references
//   adds while others do, too.
//
// The first update seen may be that of a thread that finds it held, since then its line is first shared: the holder
// shows itself by updates at two places, where those who wait have one.
//
// It is none if its holder takes it again (counters), if a thread that does not hold it gives it (reference
// counts, flags, slots of queues, barriers), or if more than a few places in the code take or give it: for
// good after rules::kStrikes times, because the first holder is not known.
//
// A ticket lock is taken by adding to a word. The word that the thread loads next, but for its own stack, is its
// *display* and says whose turn it is; stores to that give the lock, or exchanges, as compilers write ordered
// stores. Threads that add while it is held are its next holders, in this order. No Valgrind here.
#pragma once

#include "log/records.h"
#include "sync/words.h"

namespace memspy::sync {

// All zeros is a valid object without a table of words.
class OwnLocks {
public:
    enum class LockUse : u8 { None, Take, Give, Attempt, NoLock };  // NoLock: it was one, and is none now
    struct LockAct {
        LockUse use = LockUse::None;
        Address lock = 0;  // the word that is taken
    };

    void use(SyncWords& words) { words_ = &words; }
    // An atomic read-modify-write by the instruction. None for words that are not (yet) known as locks. Plain
    // stores are told only of lines that are `observed`: of others nothing can be learnt.
    LockAct update(u32 serial, Address word, Address instruction, log::UpdateKind kind, bool observed,
                   const log::WordChange& change);
    LockAct store(u32 serial, Address word);  // plain
    // A plain load. Returns true if the line must be observed from now on.
    bool load(u32 serial, Address word);
    // Whether the thread's next load is of interest.
    bool has_asked(u32 serial) { return !asked_.empty() && asked_.find(serial) != nullptr; }
    // Another thread holds the lock at this word.
    bool is_held(u32 serial, Address word);
    // The word is a lock, or may be one.
    bool is_followed(Address word) {
        const SyncWord* const known = words_->find(word);
        return known != nullptr && (known->shows != 0 || may_be_lock(*known));
    }
    // Whether an update by this instruction takes the lock.
    bool takes(Address word, Address instruction) {
        const LockWord* const known = lock_at(word);
        return known != nullptr && has(known->takes, instruction);
    }
    // The word that is stored to when the lock is given.
    Address display_of(Address lock) {
        const LockWord* const known = lock_at(lock);
        return known == nullptr || known->display == 0 ? lock : known->display;
    }
    // Whether the thread holds the lock or has a ticket.
    bool is_in(u32 serial, Address lock);
    // The last update or store made its word a lock. Asked once.
    bool is_new() {
        const bool result = new_;
        new_ = false;
        return result;
    }
    void forget(Address begin, usize bytes);  // the table of words has forgotten them
    void clear();

private:
    struct Ticket {
        Address lock;
        u32 serial;
    };
    static bool may_be_lock(const SyncWord& word) {
        return word.lock != nullptr && !word.lock->turns.is_out();
    }
    static bool is_lock(const SyncWord& word) { return word.state == WordState::OwnLock; }
    static bool is_proof(u8 kinds);
    static bool has(const Address* places, Address place);
    static bool add(Address* places, Address place);
    LockWord* lock_at(Address a) {
        const SyncWord* const word = words_->find(a);
        return word == nullptr ? nullptr : word->lock;
    }
    LockAct reject(SyncWord& word, Address address);
    LockAct given(SyncWord& word, Address address, u32 serial);
    void next_holder(LockWord& word, Address address);
    template <class Test>
    void tear_tickets(Test is_void) {
        usize kept = 0;
        for (const Ticket& ticket : tickets_)
            if (!is_void(ticket)) tickets_[kept++] = ticket;
        tickets_.resize(kept);
    }
    void tear_tickets(Address lock);

    SyncWords* words_ = nullptr;
    rt::HashMap<Address> asked_;  // by serial: the word of which the thread just got a ticket
    rt::Vector<Ticket> tickets_;  // in the order in which they were taken; one for each thread at most
    bool new_ = false;
};

}  // namespace memspy::sync
