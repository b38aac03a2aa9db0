// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who gets the next part of work that threads share (dynamic schedules, sections, `single`). One thread runs at a
// time, so whoever comes first would get all of it. A thread that asks for a part waits until all others have come
// to ask, too, or wait for something else; then the one that has had least goes on. So the same threads get the same
// parts in each run, however loaded the machine is. No Valgrind here.
#pragma once

#include "rt/vector.h"

namespace memspy::races {

// All zeros is a valid empty object.
class WorkDealing {
public:
    // Microseconds: of a wait in vain, as for a thread that the system does not let run.
    static constexpr u32 kLongest = 50'000;
    // Superblocks of other threads: those that run may themselves wait in a loop for who asks.
    static constexpr u64 kMostBlocks = 300'000;

    // It asks for a part, for the n-th time; 0: it begins its share of what all do.
    void asks(u32 thread, u32 times);
    // Whether it has to wait for the part. `waited`: for so many microseconds up to now. `wanting`: threads that
    // could run now.
    bool must_wait(u32 thread, u32 waited, u32 wanting);

    // What threads do, as far as it tells that one will run soon that does not yet.
    void starts(u32 thread, u64 blocks);  // a slice; superblocks run so far
    void is_made(u32 thread);
    void ends(u32 thread);
    void sleeps(u32 thread, Address word);  // its system call
    void wakes(Address word, u64 most);     // those who sleep for the word
    void returns(u32 thread, bool woken);   // from that call

private:
    struct Asker {
        bool asks = false;
        u32 times = 0;
        u64 since = 0;           // superblocks
        Address sleeps_at = 0;   // 0: it does not
        bool is_called = false;  // it will run soon
    };
    Asker& state_of(u32 thread);
    bool is_next(u32 thread) const;
    bool is_one_called() const;

    rt::Vector<Asker> states_;
    u64 blocks_ = 0;
};

}  // namespace memspy::races
