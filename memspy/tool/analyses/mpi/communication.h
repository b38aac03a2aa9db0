// SPDX-License-Identifier: GPL-2.0-or-later
//
// Communication: bytes, partners and times of a rank's MPI calls. The preloaded wrappers (preload/mpi.c)
// report the beginning and the end of each call. No Valgrind here.
//
// Invariants: only the outermost call of a thread counts. A row is (call, context, communicator); rows,
// communicators and peers live as long as the run. Sent bytes are known when a call begins. Bytes received by
// a request are known when it completes, and are then charged to the row of the call that began it. Times are
// microseconds of the wall clock since 1970, so that ranks of one machine can be compared.
#pragma once

#include "analyses/mpi/buffers.h"
#include "analyses/mpi/calls.h"
#include "analyses/mpi/held_locks.h"
#include "analyses/mpi/type_matching.h"
#include "requests/mpi.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::mpi {

enum class CommId : u32 { None = 0 };  // 1, 2, ... in the order of first use

// Message sizes: class i is [2^(i-1), 2^i) bytes, class 0 is empty messages.
inline constexpr u32 kSizeClasses = 41;

struct CallRow {
    u32 call = 0;
    ContextId context = ContextId::None;
    CommId comm = CommId::None;
    u64 calls = 0;
    u64 sent = 0, received = 0;    // bytes
    u64 time = 0;                  // microseconds inside
    u64 worked = 0;                // blocking collective operations: of processors, since the one before
    u64 sizes[kSizeClasses] = {};  // of messages sent; of received ones for calls that send none
    u32 loads = 0;                 // of the program from buffers of its requests, see checks.cc
};

struct Communicator {
    char name[64] = {};
    u32 size = 0;
    u64 group = 0;    // equal in all ranks for the same ranks in the same order and the same name
    u64 own = 0;      // between groups: the part of `group` that is this rank's own
    u32 ordinal = 0;  // among those with the same `group`, by first use
    u32 first = 0,
        listed = 0;  // its ranks' numbers in MPI_COMM_WORLD, in world_ranks(); none: too many to be listed
    bool is_between = false;     // groups
    bool has_strangers = false;  // processes of another MPI_COMM_WORLD
    u64 operations = 0;  // that this rank began and that all ranks begin in the same order, see is_in_order()
    i32 disagrees = -1;  // one of them did not match this rank's of MPI_COMM_WORLD
};

// The data that moved between this rank and another one, in messages and by one-sided operations.
struct Peer {
    i32 rank = 0;  // in MPI_COMM_WORLD
    u64 sent = 0;
    u64 fetched = 0;  // by MPI_Get
};

// For memspy-report, which compares the arrival times of ranks.
struct SendEvent {
    CommId comm;
    i32 peer;        // in MPI_COMM_WORLD; the same below
    i64 tag;         // with the channel of a partitioned message above its 32 bits
    u32 row;         // the call that began to send
    u64 begin, end;  // of that call
};
struct ReceiveEvent {
    CommId comm;
    i32 peer;
    i64 tag;
    u32 row;         // the call that completed the message here
    u64 posted;      // when the buffer was given to the library
    u64 begin, end;  // of that call
};
struct CollectiveEvent {
    CommId comm;
    u32 row;
    u64 begin, end;
};

// Bytes that a collective operation gives to one rank of its communicator.
struct Gift {
    i32 peer = 0;
    u64 bytes = 0;
    u32 next = 0;
};

// A request that has begun and not completed; a persistent one lives until it is freed. Or a one-sided
// operation without a request. A split access to a file is a request, whose handle the wrappers make up.
struct Pending {
    u32 row = 0;  // of the call that began it
    CommId comm = CommId::None;
    bool persistent = false, receives = false;
    bool active = false;         // it owns its buffers: begun, or started
    u64 begun = 0;               // when
    u64 sent = 0, received = 0;  // the latter of collective operations
    i32 peer = 0, tag = 0;
    i32 awaits = kMpiNobody, awaited_tag = 0;  // the sender, as the call named it
    i32 root = kMpiNobody;
    u64 operation = 0;              // among those of its communicator; 0: not a collective one
    u32 partitions = 0, ready = 0;  // of a partitioned message: all; those that were marked since it started
    // Partitioned messages match each other in the order in which their requests are made, and no other ones:
    // 1, 2, ... among those of the same partner and tag. 0: it is not partitioned.
    u32 channel = 0;
    ItemList gifts;
    u32 thread = 0;
    MpiTypes given{}, taken{};
    PieceList buffers;
    // MPI libraries give one handle to several requests that they complete at once. Such requests are told
    // apart by nothing, so their buffers are not followed.
    bool shared = false;
    bool used = false;  // this slot
    u64 request = 0;
    u64 window = 0;  // it is a one-sided operation that this window's synchronisation completes; 0: a request
    u64 buffers_window = 0;  // the window whose synchronisation gives a request's buffers back; 0: none
    u32 next = 0;            // slot + 1 of a later request with the same handle
    u32 stretches = 0;       // in which the program ran since it began
    bool reported = false;   // that it was written to
};

// The call that a thread is in.
struct InCall {
    u32 depth;
    u32 thread;
    u32 call;
    ContextId context;
    u64 begin;
    PieceList buffers;
    PieceList at_target;  // of a one-sided operation; addresses count from the target's offset
    ItemList gifts;
    MpiStatuses statuses;
    bool is_told;  // `facts` are known: the library is about to be called, or has been
    MpiCallFacts facts;
    u64 operation;  // as in Pending
    // What the library need not be asked about to be known as wrong: it is not reported as its error, too.
    bool is_judged;
    const char* wrong;    // a sentence, static storage; null: nothing
    u64 freed;            // the handle of a freed object that it is given; 0: none
    MpiAwaited* waiting;  // the program's: requests that it waits for, 0 for those that are complete
    u32 waiting_count;
};

class Communication {
public:
    // The number of events kept of each kind; later ones are only counted.
    static constexpr usize kMostEvents = 40'000;
    // One-sided operations whose buffers are followed at a time: each call is compared with all of them.
    static constexpr usize kMostOneSided = 1024;

    void world(i32 rank, i32 size);
    i32 rank() const { return rank_; }  // -1 before MPI_Init
    i32 size() const { return size_; }

    // Reports the beginning of a call; returns true if it is the thread's outermost. `context` is called only
    // then.
    template <typename Context>
    bool enter(u32 thread, u32 call, u64 now, Context context) {
        InCall& in = in_calls_[thread];
        if (in.depth++ > 0) return false;
        ++inside_;
        in.call = call;
        in.thread = thread;
        in.context = context();
        in.begin = now;
        in.buffers = in.at_target = {};
        in.gifts = {};
        in.statuses = {};
        in.is_told = false;
        in.operation = 0;
        in.is_judged = false;
        in.wrong = nullptr;
        in.freed = 0;
        in.waiting = nullptr;
        in.waiting_count = 0;
        if (!asks_only(call)) moved(now);
        return true;
    }
    bool knows(u64 comm) { return comm == 0 || handles_.find(comm) != nullptr; }
    void describe(const MpiCommFacts& facts);
    void rename(u64 comm, const char* name);
    // A probe matched a message of the communicator: its receive names the message only.
    void matched(u64 message, u64 comm) { matched_[message] = comm; }
    u64 comm_of_matched(u64 message) {
        const u64* comm = matched_.find(message);
        return comm == nullptr ? 0 : *comm;
    }
    // Of a communicator or a window.
    void forget(u64 comm) {
        handles_.erase(comm);
        synchronise(comm, -1, [](const Pending&) {});
    }
    // The thread's call is about to be made. Its requests, if it waits for some.
    void about_to(u32 thread, const MpiCallFacts& facts);
    void waits_for(u32 thread, MpiAwaited* requests, u32 count);
    // When a call began, or ended with something done: to ask in vain (MPI_Test) is nothing done.
    u64 last_move() const { return last_move_; }
    u64 moves() const { return moves_; }
    void moved(u64 now) {
        last_move_ = now;
        ++moves_;
    }
    void share(u32 thread, const MpiShare& share);
    void gives(u32 thread, const MpiGift& gift);
    void leave(u32 thread, const MpiCallFacts& facts, u64 now);
    // The process begins and ceases to be in no call of MPI; `used`: microseconds of processors.
    void begins_work(u64 used) {
        if (work_began_ == 0) work_began_ = used;
    }
    void ceases_work(u64 used) {
        if (work_began_ != 0) worked_ += used - work_began_;
        work_began_ = 0;
    }
    // The bytes of the buffer that holds messages of MPI_Bsend; 0: none does.
    void attach_buffer(u64 bytes) { send_buffer_ = bytes; }
    u64 send_buffer() const { return send_buffer_; }
    u32 threads_inside() const { return inside_; }  // calls of MPI
    // The oldest request of that handle is not found by it any more, unless it is persistent: its handle
    // stays.
    MpiAwaited await(u64 request);
    Pending* find_awaited(MpiAwaited awaited) {  // null if it is not known
        const u32 number = awaited & ~u32{kMpiAwaitedReceives};
        return number == 0 || number > pending_.size() ? nullptr : &pending_[number - 1];
    }
    // It is found again; or `failed`: what became of it is not known.
    void give_back(MpiAwaited awaited, bool failed);
    // An awaited request is complete. Returns it as it was; its buffers belong to the caller
    // now, who releases them (those of a persistent one stay). `used` is false if it is not known.
    Pending complete(u32 thread, const MpiCompletion& completion, u64 now);
    // The window's one-sided operations to `rank`, or to all if it is negative, have used their buffers.
    // Calls f(pending) for each.
    template <typename F>
    void synchronise(u64 window, i32 rank, F&& f) {
        for (usize slot = 0; slot < pending_.size(); ++slot) {
            Pending pending = pending_[slot];
            const bool ends_request = pending.buffers_window == window;
            if (!pending.used || !(pending.window == window || ends_request) ||
                (rank >= 0 && pending.peer != rank))
                continue;
            f(pending);
            buffers_.release(pending.buffers);
            pending_[slot].buffers = {};
            if (ends_request) continue;
            pending_[slot].used = false;
            free_slots_.push_back(static_cast<u32>(slot));
        }
    }
    // The program freed the request, or it is not known what became of it.
    void forget_request(u64 request);

    Buffers& buffers() { return buffers_; }
    TypeMatching& types() { return types_; }
    void match_types() { matches_types_ = true; }  // from the beginning
    // The call that the thread is in: its buffers and its name. Null if it is in none.
    InCall* in_call(u32 thread) {
        InCall* in = in_calls_.find(thread);
        return in == nullptr || in->depth == 0 ? nullptr : in;
    }
    Pending* find_pending(u64 request) {
        const u32* slot = slots_.find(request);
        return slot == nullptr ? nullptr : &pending_[*slot - 1];
    }
    // Requests have numbers as long as they are pending.
    u32 number_of(const Pending& pending) const { return static_cast<u32>(&pending - pending_.data()); }
    Pending& pending_at(u32 number) { return pending_[number]; }
    CallRow& row_at(u32 row) { return rows_[row]; }
    // Calls f(pending) for each request that has begun and not completed.
    template <typename F>
    void for_each_active(F&& f) {
        for (Pending& pending : pending_)
            if (pending.used && pending.active) f(pending);
    }
    // The same for each persistent request that is not started.
    template <typename F>
    void for_each_idle(F&& f) {
        for (const Pending& pending : pending_)
            if (pending.used && pending.persistent && !pending.active) f(pending);
    }
    void forked();  // the child is not a rank

    const HeldLocks& locks() const { return locks_; }
    const rt::Vector<CallRow>& rows() const { return rows_; }
    const rt::Vector<Communicator>& communicators() const { return communicators_; }  // [i] has CommId i + 1
    void note_disagreement(CommId comm, i32 with) {
        communicators_[static_cast<usize>(comm) - 1].disagrees = with;
    }
    const rt::Vector<i32>& world_ranks() const { return world_ranks_; }
    const rt::Vector<Peer>& peers() const { return peers_; }
    const rt::Vector<SendEvent>& sends() const { return sends_; }
    const rt::Vector<ReceiveEvent>& receives() const { return receives_; }
    const rt::Vector<CollectiveEvent>& collectives() const { return collectives_; }
    u64 events_left_out() const { return left_out_; }
    // Requests that have begun and not completed.
    usize open_requests() const {
        usize count = 0;
        for (const Pending& pending : pending_)
            count += pending.used && pending.active && pending.window == 0;
        return count;
    }

    // Calls f(call) for each thread that is in one.
    template <typename F>
    void for_each_call(F&& f) {
        in_calls_.for_each([&](u64, InCall& in) {
            if (in.depth != 0) f(in);
        });
    }
    CommId comm_of(u64 handle);
    i32 world_rank(CommId comm, i32 rank) const;  // in MPI_COMM_WORLD; -1: not known, or there is none
    // Calls f(rank in MPI_COMM_WORLD) for each rank that calls on `comm` name, or for all; not for this one.
    template <typename F>
    void for_each_other(CommId comm, F&& f) const {
        const Communicator* of = comm == CommId::None ? nullptr : &communicators_[static_cast<u32>(comm) - 1];
        const u32 size =
            of == nullptr || of->listed == 0 ? static_cast<u32>(size_ < 0 ? 0 : size_) : of->listed;
        for (u32 i = 0; i < size; ++i) {
            const i32 rank = of == nullptr ? static_cast<i32>(i) : world_rank(comm, static_cast<i32>(i));
            if (rank >= 0 && rank != rank_) f(rank);
        }
    }

private:
    void add_pending(const Pending& pending);
    bool has_room_for_window() const;
    void take_out(u64 request);  // the oldest one of the handle
    void forget(Pending& pending);
    void free_slot(Pending& pending);  // its buffers belong to somebody else
    void keep_lock(u32 call, CommId window, const MpiCallFacts& facts);
    void started(u32 thread, u32 row, const MpiCallFacts& facts, u64 begin, u64 now);
    void marked_ready(u32 row, const MpiCallFacts& facts, u64 begin, u64 now);
    u32 new_channel(bool receives, CommId comm, i32 peer, i32 tag);
    void count_gifts(CommId comm, const ItemList& gifts);
    u32 row_of(u32 call, ContextId context, CommId comm);
    Peer& peer(i32 rank);
    void count_sent(u32 row, CommId comm, u64 bytes, i32 to, i64 tag, u64 begin, u64 now);
    void keep_sending(u32 row, CommId comm, i32 to_world, i64 tag, u64 begin, u64 now);
    void count_received(u32 row, CommId comm, u64 bytes, i32 from, i64 tag, u32 ended_by, u64 posted,
                        u64 begin, u64 now);
    // Of messages, for type_matching.h. `row`: the call that sent, or gave the buffer.
    TypeMatching::Message message(u32 row, CommId comm, i32 peer, i64 tag, u32 thread, u64 posted) const;
    void keep_sent(u32 thread, u32 row, CommId comm, i32 to, i64 tag, const MpiTypes& types);
    void keep_received(u32 thread, u32 row, CommId comm, i32 from, i64 tag, u64 posted, const MpiTypes& types,
                       u64 bytes);

    i32 rank_ = -1, size_ = 0;
    rt::HashMap<u32> handles_;      // -> CommId
    rt::HashMap<u64> matched_;      // message -> communicator
    rt::HashMap<u32> row_numbers_;  // by call and context, the first of a chain by communicator
    rt::Vector<u32> next_row_;      // the chain; kNoRow ends it
    static constexpr u32 kNoRow = ~u32{0};
    rt::Vector<CallRow> rows_;
    rt::Vector<Communicator> communicators_;
    rt::Vector<i32> world_ranks_;
    rt::HashMap<u32> peer_numbers_;
    rt::Vector<Peer> peers_;
    Buffers buffers_;
    Lists<Gift> gifts_;
    rt::HashMap<u32> channels_;  // how many, by direction, communicator, partner and tag
    TypeMatching types_;
    bool matches_types_ = false;
    rt::Vector<Pending> pending_;
    rt::Vector<u32> free_slots_;
    rt::HashMap<u32> slots_;        // by request: slot + 1 of its oldest
    rt::HashMap<InCall> in_calls_;  // by thread
    HeldLocks locks_;
    u64 send_buffer_ = 0;
    u32 inside_ = 0;  // of these, those in a call
    rt::Vector<SendEvent> sends_;
    rt::Vector<ReceiveEvent> receives_;
    rt::Vector<CollectiveEvent> collectives_;
    u64 work_began_ = 0;  // 0: in a call
    u64 worked_ = 0;      // since the last blocking collective operation
    u64 left_out_ = 0;
    u64 last_move_ = 0, moves_ = 0;
};

}  // namespace memspy::mpi
