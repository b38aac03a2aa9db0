// SPDX-License-Identifier: GPL-2.0-or-later
//
// Walks: how each instruction goes through each object. A *run* is a sequence of accesses of one thread with
// the same step; a loop around the loop begins a new run, some bytes from where the one before began: its
// *shift*. `b[k][j]` in an inner loop over k has the row's length as its step and an element as its shift.
// Advice is given by these (advice.h).
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::locality {

// Runs of the same step.
struct Runs {
    i64 step = 0;
    u64 accesses = 0, runs = 0;
    u64 offset = 0;  // in the object, where one of them began
    // The shift that most of them had, if one has the majority: each of another takes one vote from it.
    i64 shift = 0;
    u64 votes = 0, shifted = 0;  // for it; runs with any shift
    u64 in_column = 0;           // of these, those with a shift of whole steps
};

// Of one instruction in one object.
struct ObjectWalk {
    u64 instruction = 0;
    u32 function = 0, line = 0, object = 0, thread = 0;
    u32 bytes = 0;  // of an access
    bool loads = false, stores = false;
    u64 began = 0;       // the time of the first access
    u64 accesses = 0;    // an update is one
    u64 stands_for = 0;  // those of the program, as far as they are known
    u64 jumps = 0;       // steps of more than a line that occur once, not twice in a row
    static constexpr u64 kNowhere = ~u64{0};
    Address lowest = ~Address{0}, highest = 0;  // of the ends of runs
    u64 text = kNowhere;  // of a walk of bytes: where in the object it began to go from byte to byte
    static constexpr u32 kSteps = 4;
    Runs runs[kSteps];  // of the commonest steps; accesses 0: none

    // An update loads and stores.
    u64 uses() const { return loads && stores ? 2 * stands_for : stands_for; }
    const Runs& commonest() const;
    // Bytes between the first and the last that it accessed.
    u64 reach() const { return highest - lowest; }
    void reached(Address low, Address high) {
        if (low < lowest) lowest = low;
        if (high > highest) highest = high;
    }
};

struct WalkAccess {
    Address address = 0;
    u64 instruction = 0;
    u64 offset = 0;  // in the object
    u32 function = 0, line = 0, object = 0, thread = 0;
    u32 bytes = 0;
    u32 burst = 0;  // accesses of different bursts are not of one run
    u64 weight = 1;
    u64 time = 0;
    bool loads = true, stores = false;
};

class Walks {
public:
    Walks() = default;
    Walks(const Walks&) = delete;
    Walks& operator=(const Walks&) = delete;
    ~Walks();

    struct LiveWalk : ObjectWalk {
        Address first = 0, last = 0;  // of the present run
        u64 first_offset = 0;
        i64 step = 0;
        u64 length = 0;  // in accesses
        u32 burst = 0;
        bool whole = false;  // it began where another one ended, and not with a burst
        u32 next = 0;        // of the same hash; index + 1
    };

    // The walk of accesses of this instruction, object and thread; it stays where it is.
    LiveWalk& of(const WalkAccess& access);
    void access(const WalkAccess& access) { follow(of(access), access); }
    static void follow(LiveWalk& walk, const WalkAccess& access) {
        // An instruction that stores what it has loaded is in one place.
        if (!access.loads && walk.loads && walk.last == access.address) {
            walk.stores = true;
            return;
        }
        ++walk.accesses;
        walk.stands_for += access.weight;
        if (walk.burst == access.burst && walk.length != 0) [[likely]] {
            const auto step = static_cast<i64>(access.address - walk.last);
            walk.last = access.address;
            if (walk.length == 1) walk.step = step;
            if (step == walk.step) [[likely]] {
                ++walk.length;
                return;
            }
            walk.jumps += is_far(step) ? 1 : 0;
            end_run(walk, access.address);
            walk.whole = true;
        } else {
            forget_run(walk);
            walk.whole = false;
        }
        begin_run(walk, access);
    }
    // One for each instruction and object, of all threads.
    void collect(rt::Vector<ObjectWalk>& walks) const;

    // Calls f(walk) for each of a thread.
    template <typename F>
    void for_each(F f) const {
        for (const LiveWalk* walk : walks_) f(*walk);
    }

private:
    static constexpr u64 kShortest = 4;  // a run that is shorter shows no loop

    static bool is_far(i64 step) { return step > 64 || step < -64; }
    static void begin_run(LiveWalk& walk, const WalkAccess& access);
    static void end_run(LiveWalk& walk, Address next);
    static void forget_run(LiveWalk& walk);
    static Runs* runs_of(ObjectWalk& walk, i64 step);

    rt::Vector<LiveWalk*> walks_;
    rt::HashMap<u32> heads_;  // by a hash of instruction, object and thread: index + 1
};

}  // namespace memspy::locality
