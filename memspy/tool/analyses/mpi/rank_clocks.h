// SPDX-License-Identifier: GPL-2.0-or-later
//
// What this rank knows of the others of its node: how far each had come, at least, when something that this
// rank has heard of was done. Two accesses or messages are unordered if neither's rank knew of the other.
//
// A *moment* of a rank is the number of collective operations of all ranks that it has begun, and of messages
// since. Messages carry nothing: who is about to send leaves what it knows in the receiver's inbox, in a table
// that the node's ranks share, and the receiver looks there when the message has come. What comes in another
// way, or of which nothing is found there, may tell anything: then the rank knows all that happened since the
// last operation of all. An operation of all tells at most what happened before each rank began it.
#pragma once

#include "analyses/mpi/node_table.h"
#include "analyses/mpi/type_matching.h"

namespace memspy::mpi {

struct RankMoment {
    u32 operations = 0, step = 0;
    bool operator>=(const RankMoment& other) const {
        return operations > other.operations || (operations == other.operations && step >= other.step);
    }
};

class RankClocks {
public:
    // Of programs with more ranks nothing is kept.
    static constexpr i32 kMostRanks = 64;

    void begin(i32 rank, i32 size);
    void end() { shared_.forget(); }
    void clear() { table_ = nullptr; }

    // What the receiver learns of a message.
    struct SentMessage {
        u64 bytes;
        MpiSignature types;  // none: not known
        u32 in_way;          // 1, 2, ... among those of its way and receiver
        u32 thread;          // of the sender
        u64 comm;            // as `way`, without the tag
        i32 tag;
        TypeMatching::CallLabel sent_by;  // the call
    };
    // `way`: the message's communicator and tag. Call before it is sent.
    void sends(u64 way, i32 to, const SentMessage& message);
    struct Arrived {
        u32 number;  // among those to this rank, in the order in which they were sent
        SentMessage message;
        RankMoment knew_of_us;  // its sender, when it was sent
    };
    // Call when it has come. If it is not found, anything may have been heard.
    bool received(u64 way, i32 from, Arrived& arrived) {
        if (look_for(way, from, arrived)) return true;
        heard_unknown();
        return false;
    }
    // Call to ask whether it has come.
    bool look_for(u64 way, i32 from, Arrived& arrived);
    // Messages to this rank that it has not received, the first one first.
    struct Unreceived {
        i32 from;
        u32 number;
        SentMessage message;
        RankMoment knew_of_us;
    };
    void find_unreceived(rt::Vector<Unreceived>& found) const;
    void begins_operation_of_all();
    void heard_unknown();

    RankMoment now() const { return known_[rank_]; }
    // Of something that no message sent before has told of.
    RankMoment next() {
        next_step();
        return now();
    }
    bool knows(i32 rank, RankMoment when) const {
        return rank < 0 || rank >= kMostRanks || table_ == nullptr || known_[rank] >= when;
    }

private:
    struct Inboxes;
    void next_step() { ++known_[rank_].step; }

    Inboxes* table_ = nullptr;
    NodeTable shared_;
    i32 rank_ = 0, size_ = 0;
    RankMoment known_[kMostRanks];
};

}  // namespace memspy::mpi
