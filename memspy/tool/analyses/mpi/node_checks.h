// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the ranks of a node tell each other to compare their calls: collective operations, what each gives to
// and takes from others in them, one-sided operations, and what they know of each
// other (rank_clocks.h).
#pragma once

#include "analyses/mpi/agreement.h"
#include "analyses/mpi/message_races.h"
#include "analyses/mpi/rank_waits.h"
#include "analyses/mpi/remote_access.h"

namespace memspy::mpi {

class NodeChecks {
public:
    void attach(Communication& communication) { all_ = &communication; }  // first of all
    void begin(i32 rank, i32 size);                                       // the rank is known
    void end();
    void clear();  // the process is no rank any more
    Agreement& agreement() { return agreement_; }
    RemoteAccesses& windows() { return windows_; }

    // What a rank gives or takes in the thread's call, which is about to be checked.
    void compare_share(u32 thread, const MpiShare& share);
    // The thread's call is about to be made. Another rank may disagree, or conflict with it.
    void compare_operation(u32 thread);
    void follow_windows(u32 thread);
    void note_window(u32 thread, const MpiWindowFacts& window);
    // The request's arguments: the window, a rank's number in it, where its part begins and its bytes.
    void note_shared_part(u32 thread, const u64* arguments);
    void note_partners(u64 window, u32 thread, const i32* world_ranks, i32 count);
    // The thread's call is about to send a message, or to start the request `started`.
    void note_sending(u32 thread, u64 started);
    // The thread's call ends, or a request that it waited for. What others have done may be known now.
    void note_end(const InCall& in, const MpiCallFacts& facts);
    void note_end(u32 thread, const Pending& was, const MpiCompletion& completion);
    // Of those the one that is likeliest meant for this wait.
    LeftMessage find_left(const RankWait& wait);
    // A message has come that the call `name` makes sure that nobody will receive: it is told.
    void never_received(u32 thread, u64 comm, i32 source, i32 tag, const char* name);
    // Those that were told, for the profile.
    void keep_left(const LeftMessage& left);
    const rt::Vector<LeftMessage>& left() const { return left_; }
    const rt::Vector<MessageRaces::OpenReceives>& open_receives() const { return open_; }
    // The program receives no more.
    void report_message_races(u32 thread);
    // The program itself stores into a window, or loads from it: `call` as in RemoteAccesses.
    void used_in_window(u32 thread, u32 call, Address a);

private:
    void follow_buffers(u32 thread, const InCall& in);
    void follow_complete(u32 thread, const InCall& in);
    void follow_access(u32 thread, const InCall& in, i32 target);
    // The communicator or window of the thread's outermost call; null if it is in none.
    const Communicator* group_of(const InCall* in, u64 handle) const;

    // What a receive asked for, and when.
    struct PostedReceive {
        u64 posted;
        i32 awaits, awaited_tag;
        const PieceList& buffers;
        u32 call;
        ContextId context;
        const MpiTypes& taken;
        u64 bytes;        // that came
        u32 thread;       // that posted it
        ContextId begun;  // where its request began, if it has one
    };
    // The thread has got a message.
    void note_received(u32 thread, CommId comm, i32 source, i32 tag, const PostedReceive& posted);
    bool may_be_of_other(CommId comm, i32 source, i32 tag, u64 posted);
    TypeMatching::CallLabel taker_of(const RankClocks::Unreceived& sent, const RankWait& wait) const;
    bool is_awaited(const RankClocks::Unreceived& sent, const RankWait& wait);
    void compare_types(u32 thread, CommId comm, i32 source, i32 tag, const PostedReceive& posted,
                       const RankClocks::SentMessage& sent);
    u64 way_of(CommId comm, i32 tag) const;
    u64 room_of(const PieceList& buffers);

    Communication* all_ = nullptr;
    Agreement agreement_;
    RankClocks clocks_;
    MessageRaces races_;
    // When a receive of any rank first got a message of a rank, or of a tag, by communicator: from then on the
    // program may name it because of that.
    rt::HashMap<u64> named_by_messages_;
    u64 probed_ = 0;               // when any message was first asked for; 0: never
    rt::HashMap<u64> probed_any_;  // a message of any rank was found and has not come, by communicator
    // The messages of one way (clocks_) between this rank and another one. Which one came to which receive is
    // certain as long as none is lost, and one thread sends and one receives.
    struct Messages {
        u32 count, sender, receiver;
        bool uncertain;
    };
    rt::HashMap<Messages> sent_, received_;        // by way and the other rank
    bool matches_ = false;                         // a message was taken out before its receive (MPI_Mprobe)
    rt::HashMap<TypeMatching::CallLabel> labels_;  // of calls that sent, by context
    rt::Vector<LeftMessage> left_;
    rt::Vector<MessageRaces::OpenReceives> open_;
    RemoteAccesses windows_;
    // What of a thread's shares does not agree, until its call is checked.
    struct ShareDifference {
        u32 thread;
        Agreement::Disagreement difference;
        Agreement::OperationEntry first;
    };
    ShareDifference share_difference_{};
};

}  // namespace memspy::mpi
