// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the ranks of a program let each other know of where they are (--mpi-hang): a file for each rank, in
// the folder for temporary files, or, where the ranks are on several nodes, in the one where the program was
// started. They are written only by ranks that do not get on. A rank removes its own.
#pragma once

#include "rt/base.h"

namespace memspy::mpi {

struct RankState {
    static constexpr u64 kMagic = 0x356b6e6172796d73;  // the layout's
    static constexpr u32 kMostRanks = 1024, kMostComms = 64, kMostLocks = 64;
    enum class WaitPhase : u32 {
        Runs,      // or did not tell
        Waits,     // in a call
        Ended,     // it has called MPI_Finalize
        Concluded  // it knows that all wait, and has written its report
    };
    u64 magic = kMagic;
    i32 rank = 0;
    WaitPhase phase = WaitPhase::Runs;
    u64 since = 0;      // it has not got on, microseconds since 1970; later by what it lacked processors for
    u64 moves = 0;      // calls so far
    u64 concluded = 0;  // when it did, in the same unit
    char call[48] = {};
    char place[80] = {};  // "main.c:20"
    u32 any = 0;          // one of the ranks is enough
    u32 sends = 0, has_tag = 0;
    i32 tag = 0;  // see RankWait
    u32 for_part = 0, is_exclusive = 0;
    u64 group = 0;  // of the communicator, see Communicator
    u32 ordinal = 0;
    u64 operation = 0;
    i32 disagrees = -1;  // an operation of that communicator did not match that rank's
    u32 count = 0;
    i32 ranks[kMostRanks] = {};  // that it waits for
    struct Operations {
        u64 group;
        u32 ordinal;
        u64 count;
    };
    u32 comm_count = 0;
    Operations comms[kMostComms] = {};
    // That it holds; `target` negative: of all parts.
    struct LockedPart {
        u64 group;
        u32 ordinal;
        i32 target;
        u32 is_exclusive;
    };
    u32 lock_count = 0;
    LockedPart locks[kMostLocks] = {};
};

class RankStates {
public:
    // Call when the rank is known.
    void begin(i32 rank, i32 size);
    void publish(const RankState& state);
    // Returns false if that rank has not told anything.
    bool read(i32 rank, RankState& state) const;
    void remove();
    void remove(i32 rank) const;

private:
    void path_of(i32 rank, const char* ending, char* path, usize bytes) const;

    i32 rank_ = 0;
    bool published_ = false;
    char prefix_[512] = {};  // of the files' paths; empty: it has not begun
};

}  // namespace memspy::mpi
