// SPDX-License-Identifier: GPL-2.0-or-later
//
// Conflicts of one-sided operations in a window: two that use the same bytes of a rank's part, at least one
// of them to store, and that nothing orders. The ranks of a node tell each other their operations in a table
// that they share. What the program itself loads from its part, or stores there, is found by guards
// (client/guards.h), once for a piece of the part each time it leaves the library.
//
// A *phase* of a rank is the time between two collective operations that have all ranks wait for all:
// operations of different phases are ordered. Within a phase, a rank may have heard of another one's operation
// (rank_clocks.h), which is complete then. Of a post, a fetched value, a look at its own part by MPI_Win_sync or
// under its own lock it is not known whom it tells of: so of all. What is done under an exclusive lock meets
// nothing but what the target itself does without a lock. Two accumulations may meet if their operation is the
// same. What a rank's own part gets by its other calls of MPI is the rank's own access. A table's part for a
// window and a target has
// few entries, so an operation may be forgotten.
#pragma once

#include "analyses/mpi/communication.h"
#include "analyses/mpi/node_table.h"
#include "analyses/mpi/rank_clocks.h"
#include "client/guards.h"

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
    enum class PartLock : u8 { None, Shared, Exclusive };
    PartLock lock;  // of the target's part, by MPI_Win_lock
    // By the program itself, not as a one-sided operation: of the target's rank, or of another one that shares its
    // part.
    bool is_own;
    bool waits;  // for the target's post: what that did before is ordered
    u32 epoch;   // of a waiting one, the number of MPI_Win_start; of an own one that of the post that lasts
    RankMoment made;  // by its rank
    char place[64];
};

class RemoteAccesses {
public:
    void begin(i32 size, RankClocks& clocks);
    void end() { shared_.forget(); }
    void clear();

    // The thread's collective call is about to be made.
    void collective(const InCall& in, const Communicator& comm, i32 world_size);
    // The rank may have learned that other ranks have come to some point.
    void heard() {
        if (clocks_ != nullptr) clocks_->heard_unknown();
    }
    // The call on a window names the ranks with which it is shared, by MPI_Win_start or MPI_Win_post.
    void shared_with(u64 handle, u32 call, const i32* world_ranks, i32 count);
    // MPI_Win_complete is about to be called. What was done before the target's post was known is compared with what
    // the target did since then: `found` is the first conflict, if there is one, and with whom.
    bool completes(const InCall& in, RemoteAccess& found, RemoteAccess& earlier);
    // A call on a window, that is not one of the operations, has been made.
    void synchronised(const InCall& in);
    // What is wrong with such a call now: it ends or begins what has not begun or ended. Null: nothing.
    const char* out_of_turn(const InCall& in);
    // Whether the thread's one-sided operation has access to `target`, its rank in the window.
    bool has_access(const InCall& in, i32 target);
    // Whether it uses bytes behind that rank's part.
    bool is_behind(const InCall& in, i32 target, Buffers& buffers);
    void window_made(const MpiWindowFacts& window, const InCall& in, const Communicator& comm);
    // What is wrong with freeing it now; null: nothing.
    const char* why_not_free(u64 handle);
    // The part of one of the ranks, of a window whose parts all ranks have in their memory, in this rank's memory.
    struct SharedPart {
        u64 handle;
        i32 number, target;  // of the rank, in the window and in MPI_COMM_WORLD
        Address base;
        usize bytes;
        u64 identity = 0;
    };
    void shared_part(u64 handle, const SharedPart& part);
    void window_gone(u64 handle);

    // The thread's one-sided operation is about to be made. Returns whether it conflicts with `earlier`.
    bool compare(const InCall& in, i32 world_target, i32 rank, Buffers& buffers, RemoteAccess& earlier);

    // The program has left the library, in which no thread is: its parts of windows are guarded, for kOwner.
    static constexpr u32 kOwner = client::kOwnsPieces;
    void left();
    // The program itself stores to `a`, or loads from there; see client::GuardJudge.
    bool used_here(u32 call, Address a, usize bytes, bool stores, i32 rank, ContextId context,
                   RemoteAccess& earlier);
    void count_trip() { ++trips_; }
    bool has_none() const { return table_ == nullptr || windows_.size() == 0; }
    bool is_used_often() const { return trips_ > kMostTrips; }

    static constexpr u32 kStore = 2 * kMpiCalls, kLoad = kStore + 1;  // as calls: the program's own accesses

private:
    static constexpr u32 kMostTrips = 10'000;
    struct RankAccesses;
    // Of an epoch that some ranks share: those that post are the targets of those that start it.
    struct EpochGroup {
        static constexpr i32 kMostNamed = 16;
        i32 count;   // -1: not known
        u32 epochs;  // so far
        i32 ranks[kMostNamed];
        bool heard[kMostNamed];  // of the post
    };
    struct OpenWindow {
        u64 identity;
        u64 unit;
        Address base;
        usize bytes;
        // What the rank may use: all parts between fences, by MPI_Win_start, and by MPI_Win_lock_all. `posted`: by
        // MPI_Win_post others may use its own.
        bool fenced, started, posted, all_locked;
        i32 self;    // the rank's own number
        u32 locked;  // parts, by MPI_Win_lock
        EpochGroup targets, origins;
    };
    bool knows_post(OpenWindow& window, i32 world_target);
    void waited(OpenWindow& window);
    bool add(const RemoteAccess& mine, RemoteAccess& earlier);
    u64* size_of_part(u64 window, i32 target, bool makes);
    RemoteAccess::PartLock lock_of(u64 window, i32 target);

    RankAccesses* table_ = nullptr;
    NodeTable shared_;
    rt::HashMap<OpenWindow> windows_;  // by handle
    rt::Vector<SharedPart> shared_parts_;
    rt::HashMap<bool> locks_;  // by window and target: whether it is exclusive
    u32 trips_ = 0, stretches_ = 0;
    u32 phase_ = 0, completions_ = 0;
    bool fetches_ = false;
    // Ranks that share memory may tell each other by it that something is done, if they synchronise it (MPI_Win_sync).
    bool synchronises_alone_ = false;   // in this phase
    rt::Vector<RemoteAccess> waiting_;  // for their targets' posts
    RankClocks* clocks_ = nullptr;
};

}  // namespace memspy::mpi
