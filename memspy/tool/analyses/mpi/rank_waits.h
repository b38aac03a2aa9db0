// SPDX-License-Identifier: GPL-2.0-or-later
//
// For whom this rank waits, by the call that it is in, or by the questions (MPI_Test, MPI_Iprobe) that it has
// asked in vain since it last got on. No Valgrind here.
#pragma once

#include "analyses/mpi/communication.h"

namespace memspy::mpi {

struct RankWait {
    const char* call = nullptr;  // null: it does not wait
    u32 thread = 0;
    ContextId context = ContextId::None;
    CommId comm = CommId::None;
    u64 operation = 0;   // of a collective one, its number among those of `comm`; 0: it is none, or not known
    bool any = false;    // one of `ranks` is enough
    bool sends = false;  // until the message is taken
    bool has_tag = false;  // it waits for a message, or a message's taking
    i32 tag = 0;           // negative: any
    // For a part of the window `comm`, which the one in `ranks` owns: whoever has locked it is who is waited for. Two
    // locks may be held together unless one is exclusive.
    bool for_part = false, is_exclusive = false;
    bool for_strangers =
        false;              // also: processes of another MPI_COMM_WORLD, which tell nothing of themselves
    rt::Vector<i32> ranks;  // in MPI_COMM_WORLD, ascending
};

// A message to this rank that has been sent, and that neither its call nor a request of its takes.
struct LeftMessage {
    i32 from = -1, tag = 0;      // `from` negative: none is known
    CommId comm = CommId::None;  // none: not known
    u64 messages = 1;
    TypeMatching::CallLabel sent_by{};  // empty: not known
    // An earlier receive of any rank could have got this message, and got that which is waited for. Empty: none.
    TypeMatching::CallLabel taker{};
};

class RankWaits {
public:
    void attach(Communication& communication) { all_ = &communication; }  // first of all

    // The thread's call is about to end, and its answer is that nothing has come.
    void asked_in_vain(u32 thread, u64 now);
    // The thread is about to end the program's part of MPI; and has.
    void begin_end(u32 thread, ContextId context) {
        finalizing_ = context;
        finalizing_thread_ = thread;
    }
    // The call that has lasted longest, of all threads.
    RankWait find(u64 now);

private:
    void describe(const InCall& in, RankWait& wait);
    void add_pending(const Pending& pending, RankWait& wait);
    void add_all(CommId comm, i32 root, RankWait& wait);
    void waits_on(CommId comm, RankWait& wait) const;

    Communication* all_ = nullptr;
    ContextId finalizing_ = ContextId::None;
    u32 finalizing_thread_ = 0;
    RankWait asked_;       // since the last move
    u64 asked_at_ = 0;     // the last question
    u64 asked_moves_ = 0;  // the moves before
};

}  // namespace memspy::mpi
