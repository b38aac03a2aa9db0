// SPDX-License-Identifier: GPL-2.0-or-later
//
// Semaphores in the order of the real run: how many tokens each has, and whose post a token is from. The
// replay hands tokens out in its own order (replay/simulation.h); from here it gets the tokens whose posts are in no
// log, and, for threads that wait for each other in a circle, who really let whom go on. No Valgrind here.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"
#include "sync/rules.h"

namespace memspy::sync {

// All zeros is a valid empty object.
class Semaphores {
public:
    Semaphores() = default;
    Semaphores(const Semaphores&) = delete;
    Semaphores& operator=(const Semaphores&) = delete;
    ~Semaphores() { forget(0, ~usize{0}, 0); }

    // Of the semaphore at this address. Another one that lies there later has another number.
    u64 number_of(Address a) { return of(a).number; }
    void post(Address a, u32 serial);
    // Who takes a token of it gives it back: it is used as a lock.
    bool& gives_back(Address a) { return of(a).gives_back; }
    u32 take(Address a);  // the serial of the thread that posted the token; 0: not known
    // The semaphore has so many tokens now. Returns how many more than those known; the difference is known
    // then.
    i64 set_tokens(Address a, u32 tokens);
    // The memory is freed, and no log has anything later than `latest` yet.
    void forget(Address a, usize bytes, Time latest);
    // Calls f(number) for semaphores that were forgotten before any log had something as late as `until`.
    template <typename F>
    void take_forgotten(Time until, F f) {
        usize kept = 0;
        for (const Forgotten& each : forgotten_)
            if (each.latest < until)
                f(each.number);
            else
                forgotten_[kept++] = each;
        forgotten_.resize(kept);
    }

private:
    struct Semaphore {
        u64 number = 0;
        // Tokens whose posts are not known; they are older than the others. < 0: so many were taken before it
        // was known that they are there.
        i64 unknown = 0;
        usize next = 0;
        bool gives_back = false;
        rt::Vector<u32> posts;  // serials; from next on: not taken yet
    };
    struct Forgotten {
        u64 number;
        Time latest;
    };
    Semaphore& of(Address a);

    rt::HashMap<Semaphore*> semaphores_;
    rt::Vector<Forgotten> forgotten_;
    u64 last_number_ = 0;
};

}  // namespace memspy::sync
