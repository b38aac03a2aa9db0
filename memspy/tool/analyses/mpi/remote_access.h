// SPDX-License-Identifier: GPL-2.0-or-later
//
// Conflicts of one-sided operations in a window: two that use the same bytes of a rank's part, at least one
// of them to store, and that nothing orders. The ranks of a node tell each other their operations in a table
// that they share. What the program itself stores into its part between two fences is found by guards
// (client/guards.h), once for a piece of the part each time it leaves the library; loads are not told.
//
// A *phase* of a rank is the time between two collective operations that have all ranks wait for all:
// operations of different phases are ordered. Within a phase, a rank that has heard of others (by a message,
// a smaller collective operation, a post, a fetched value) may know that theirs are complete, so what it does
// then is compared with its own operations only. What is done under an exclusive lock meets no other rank's
// operations. Two accumulations may meet if their operation is the same. A table's part for a window and a
// target has few entries, so an operation may be forgotten.
#pragma once

#include "analyses/mpi/communication.h"
#include "analyses/mpi/node_table.h"

namespace memspy::mpi {

struct RemoteAccess {
    enum class RemoteUse : u32 { Loads, Stores, Accumulates };
    u64 window;      // the same in all ranks
    i64 begin, end;  // bytes from the beginning of the target's part
    u64 op;          // of an accumulation; 0: not known, which meets any other one
    u32 phase;
    u32 completions;  // calls of this rank that complete its operations
    i32 target, rank;
    u32 call;
    RemoteUse use;
    bool alone;  // only this rank's own operations can conflict
    char place[64];
};

class RemoteAccesses {
public:
    void begin(i32 size);
    void end() { shared_.forget(); }
    void clear();

    // The thread's collective call is about to be made.
    void collective(const InCall& in, const Communicator& comm, i32 world_size);
    // The rank may have learned that other ranks have come to some point.
    void heard() { heard_ = true; }
    // A call on a window, that is not one of the operations, has been made.
    void synchronised(const InCall& in);
    void window_made(const MpiWindowFacts& window, const InCall& in, const Communicator& comm);
    void window_gone(u64 handle) {
        windows_.erase(handle);
        locks_.clear();
    }

    // The thread's one-sided operation is about to be made. Returns whether it conflicts with `earlier`.
    bool compare(const InCall& in, i32 world_target, i32 rank, Buffers& buffers, RemoteAccess& earlier);

    // The program has left the library, in which no thread is: its parts of windows are guarded, for kOwner.
    static constexpr u32 kOwner = 1u << 30;
    void left();
    // The program stores to `a`, or loads from a guarded part. See client::GuardJudge.
    bool stored(Address a, i32 rank, ContextId context, RemoteAccess& earlier);
    bool loaded() { return ++trips_ > kMostTrips; }

    static constexpr u32 kStore = 2 * kMpiCalls;  // as a call: the program's own store

private:
    static constexpr u32 kMostTrips = 10'000;
    struct RankAccesses;
    struct OpenWindow {
        u64 identity;
        u64 unit;
        Address base;
        usize bytes;
        bool exposed;  // between two fences
    };
    bool add(const RemoteAccess& mine, RemoteAccess& earlier);

    RankAccesses* table_ = nullptr;
    NodeTable shared_;
    rt::HashMap<OpenWindow> windows_;  // by handle
    rt::HashMap<bool> locks_;          // exclusive ones, by window and target
    u32 trips_ = 0;
    u32 phase_ = 0, completions_ = 0;
    bool heard_ = false, fetches_ = false;
};

}  // namespace memspy::mpi
