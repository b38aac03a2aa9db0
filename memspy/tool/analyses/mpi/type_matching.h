// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether messages are received with the types with which they were sent (--mpi-types=yes). No Valgrind here.
//
// A rank keeps the signatures of all messages that it sends and receives. At the end (MPI_Finalize) each rank
// gives every other one a *letter* about what it sent it, and compares the letters that it gets with what it
// received. Messages match in the order of sending and of posting, by sender, receiver, communicator and tag.
// Where that order is not certain nothing is compared: calls of several threads, messages lost by an error,
// too many messages.
#pragma once

#include "requests/mpi.h"
#include "rt/vector.h"

namespace memspy::mpi {

// The signature of the first `bytes` bytes of a buffer; none if they are not whole elements of its type.
MpiSignature signature_of(const MpiTypes& types, u64 bytes);

class TypeMatching {
public:
    struct Message {
        u64 way = 0;   // the same at both ends: communicator and tag
        i32 peer = 0;  // in MPI_COMM_WORLD
        u32 row = 0;   // the call that sent it, or gave its buffer
        u32 thread = 0;
        u64 posted = 0;        // when
        MpiSignature types{};  // none: not known
    };
    static constexpr usize kMost = 1'000'000;  // of each kind

    static u64 way_of(u64 group, u32 ordinal, i64 tag);

    void sent(const Message& message) { keep(sent_, message); }
    void received(const Message& message) { keep(received_, message); }
    void lost_one() { lost_ = true; }  // a message came that is not kept
    void clear();

    // A call's place as the other end's reports name it.
    struct CallLabel {
        char text[96];
    };
    // What this rank sent to `peer`; `places` are those of its rows.
    void write_letter(i32 peer, const rt::Vector<CallLabel>& places, rt::Vector<u8>& letter) const;

    // A call that received another type than was sent.
    struct Mismatch {
        u32 row;
        CallLabel sender;
    };
    // Compares a letter from `peer`. Each pair of calls is found once.
    void compare(i32 peer, const u8* letter, usize bytes, rt::Vector<Mismatch>& found);

private:
    void keep(rt::Vector<Message>& messages, const Message& message) {
        if (messages.size() == kMost) lost_ = true;
        if (!lost_) messages.push_back(message);
    }

    rt::Vector<Message> sent_, received_;
    bool lost_ = false;
};

}  // namespace memspy::mpi
