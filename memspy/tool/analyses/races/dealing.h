// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who gets the next part of work that threads share (dynamic schedules, sections, `single`, pieces from a queue). One
// thread runs at a time, so whoever comes first would get all of it, and do it in an order. A thread that asks for a
// part waits until all others have come to ask, too, or wait for something else; then the one that has had least goes
// on. So the same threads get the same parts in each run, however loaded the machine is.
//
// What nobody can see as asking, a number that is taken atomically or under a lock, is dealt out by short slices: a
// thread's first ones, and the next ones after it was woken, end after some tens of superblocks, which is asking, too.
// And a new thread lets the one that made it go on to make others.
// No Valgrind here.
#pragma once

#include "rt/vector.h"

namespace memspy::races {

// All zeros is a valid empty object.
class WorkDealing {
public:
    // Microseconds: of a wait in vain, as for a thread that the system does not let run.
    static constexpr u32 kLongest = 50'000;
    // Superblocks of other threads: those that run may themselves wait in a loop for who asks.
    static constexpr u64 kMostBlocks = 30'000;
    // The same for the end of a short slice. A slice that is not short has as many.
    static constexpr u32 kSlice = 10'000;
    static constexpr u32 kShortSlices = 64, kShortWhenWoken = 4;

    // It asks for a part, for the n-th time; 0: it begins its share of what all do.
    void asks(u32 thread, u32 times);
    bool is_asking(u32 thread) const { return thread < states_.size() && states_[thread].asks; }
    // A run-time of OpenMP runs the threads, which tells when they ask: no slice is short any more.
    void is_dealt_by_runtime();
    // It lets others run, by a call or as its slice is over. While its slices are short it asks by that. A call is
    // one of them.
    void yields(u32 thread);
    void slice_ends(u32 thread);
    // Whether it has to wait for the part. `waited`: for so many microseconds up to now. `wanting`: threads that
    // could run now.
    bool must_wait(u32 thread, u32 waited, u32 wanting);

    // What threads do, as far as it tells that one will run soon that does not yet.
    void starts(u32 thread);
    // How many superblocks the slice has that it runs in, or that begins now: `most`, if others decide so.
    u32 slice_of(u32 thread, u32 most);
    void is_made(u32 thread, u32 maker);
    void ends(u32 thread);
    void sleeps(u32 thread, Address word);  // its system call
    void wakes(Address word, u64 most);     // those who sleep for the word
    void returns(u32 thread, bool woken);   // from that call
    // It is in a system call, that may wait or does not.
    void calls(u32 thread, bool may_wait);
    void has_called(u32 thread);

private:
    struct Asker {
        bool asks = false;
        u32 times = 0;
        u64 until = 0;  // superblocks: it goes on then
        u32 slices = 0, short_left = kShortSlices;
        u32 slice = 0;  // superblocks; 0: it has come to its end
        bool asks_at_end = false;
        Address sleeps_at = 0;   // 0: it does not
        bool is_called = false;  // it will run soon
        bool may_sleep = false;  // in a system call
        bool is_new = false;     // and has not run yet
        u32 maker = 0;           // of a new one
    };
    Asker& state_of(u32 thread);
    void asks_for(u32 thread, u32 times, u64 most_blocks);
    bool has_short_slices(const Asker& state) const { return !dealt_by_runtime_ && state.short_left != 0; }
    bool waits_for_maker(const Asker& state) const;
    bool is_next(u32 thread) const;
    bool is_one_called() const;

    rt::Vector<Asker> states_;
    bool dealt_by_runtime_ = false;
    u64 blocks_ = 0;  // of slices that were run to their ends
};

}  // namespace memspy::races
