// SPDX-License-Identifier: GPL-2.0-or-later
//
// The order that synchronisation gave to what threads did in the real run: vector clocks. A thread's run has
// *parts*, numbered from 1; one ends where the thread lets others go on. A part of thread a is before a
// thread b if a chain of releases and acquisitions leads from the part's end to b. What is not ordered so is
// a data race, or is ordered in a way that is not known here (a plain flag that nobody waited for).
//
// The replay has its own order of locks and tokens (replay/simulation.h); this one tells what the program relies on.
// No Valgrind here.
#pragma once

#include "lines/rules.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::lines {

// All zeros is a valid empty object.
class ObservedOrder {
public:
    // If there are more, they are known together from then on: who acquires one of them goes on after all their
    // releases. An order too many hides a race, one too few is taken for one.
    static constexpr usize kMostWords = usize{1} << 16;
    static constexpr u32 kKept = 32;     // ends of parts that are kept for each thread
    static constexpr u32 kTimes = 4096;  // and their times

    ObservedOrder() = default;
    ObservedOrder(const ObservedOrder&) = delete;
    ObservedOrder& operator=(const ObservedOrder&) = delete;
    ~ObservedOrder() { clear(); }

    // Another thread gets the slot. All that the one before did is in the past, but the new one does not know
    // what that one knew of others.
    void begin(u32 slot);
    // The thread in this slot lets those go on who acquire the word later: a lock, a semaphore, an atomic
    // variable. `until`: the part has what it did before that time of its clock.
    void release(u32 slot, Address word, Time until);
    void acquire(u32 slot, Address word) {
        if (may_know(word)) acquire_known(slot, word);
    }
    // It was released, and is not one of those that are known together.
    bool knows(Address word) { return may_know(word) && words_.find(word) != nullptr; }
    // The same, but perhaps a word with the same hash was. Most words that are asked for never were.
    bool may_know(Address word) const { return (released_[filter_word(word)] & filter_bit(word)) != 0; }
    // The thread lets others go on who wait for something that is known otherwise (go_on_after).
    void end_part(u32 slot, Time until);
    // It goes on after what the other thread did at that time of its clock: as far as the last part that
    // ended there or before. All of it, if the other has done `nothing_later`.
    void go_on_after(u32 slot, u32 other, Time time, bool nothing_later);
    // It goes on after that part of the other's run, the present one or one that has ended.
    void go_on_after_part(u32 slot, u32 other, u32 part, Time now);
    // The part of its run in which the thread is.
    u32 part(u32 slot) {
        const Known& known = slot < known_.size() ? *known_[slot] : known_by(slot);
        return (slot < known.size() ? known[slot] : 0) + 1;
    }
    // That in which it was at a time of its clock, if it has ended no more than kTimes parts since.
    u32 part_at(u32 slot, Time time);
    u32 parts_ended() const { return parts_ended_; }  // by all threads
    // Whether that part of the thread in `slot` is before what the thread in `later` does now.
    bool is_before(u32 slot, u32 part, u32 later) const {
        if (slot == later) return true;
        return later < known_.size() && slot < known_[later]->size() && (*known_[later])[slot] >= part;
    }
    // The memory is freed.
    void forget(Address a, usize bytes);
    void clear();

private:
    using Known = rt::Vector<u32>;  // by slot: the last part that is before it
    void acquire_known(u32 slot, Address word);
    static constexpr u32 kFilterBits = 14;
    static u32 filter_hash(Address word) {
        return static_cast<u32>((word * 0x9E3779B97F4A7C15u) >> (64 - kFilterBits));
    }
    static u32 filter_word(Address word) { return filter_hash(word) / 64; }
    static u64 filter_bit(Address word) { return u64{1} << (filter_hash(word) % 64); }
    Known& known_by(u32 slot);
    static void join(Known& into, const Known& from);

    // What a thread knew at the ends of its last parts.
    struct Ends {
        u32 next = 0;
        Time until[kKept] = {};
        Known known[kKept];
        rt::Vector<Time> of_parts;  // when part n ended is at n % kTimes
    };
    rt::Vector<Ends*> ends_;    // by slot
    rt::Vector<Known*> known_;  // by slot; its own entry is the last part that has ended
    rt::HashMap<Known*> words_;
    Known together_;                              // what was released to words that are in the table no more
    u64 released_[(1 << kFilterBits) / 64] = {};  // a bit for each hash of a word that was released
    u32 parts_ended_ = 0;
};

}  // namespace memspy::lines
