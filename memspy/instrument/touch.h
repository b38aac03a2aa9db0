// SPDX-License-Identifier: GPL-2.0-or-later
//
// Marks cache lines as touched while the program has one thread: a byte per line, stored inline and never
// tested, since a store without a branch is cheaper than any way around it.
//
// The bytes stand in slots, one for each GiB that a client can own; a table leads to them. Slots that the
// client has nothing in share one that nobody reads.
#pragma once

#include "instrument/access.h"

namespace memspy::instrument {

void initialise_touched();
// Gives [begin, begin + bytes) slots of its own; call for memory that becomes the client's.
void make_touchable(Address begin, usize bytes);
bool was_touched(Address a);
void touch(Address begin, usize bytes);  // by the core, for the client

// Emits the marks of one superblock. Accesses off one base that lie within a line's size of each other, with
// no side exit between them, need two marks: where the lowest and where the highest begins.
class TouchWriter {
public:
    // Does nothing at all unless the policy says that lines are marked.
    TouchWriter(Emitter& emit, const IRSB* in) : emit_(emit), in_(in) {}
    void begin(int begin, int end);  // plans statements [begin, end)
    // Statement number `statement` and its checks have been emitted.
    void emitted(int statement);

private:
    struct Cluster {
        int leader;  // the first statement of it
        int segment;
        Origin origin;  // of the leader
        i64 low, high;  // where the lowest and the highest begin, from the leader's address
    };
    void plan(int statement, const Access& access, const Origin& origin, int segment);
    void mark(IRExpr* address);

    Emitter& emit_;
    const IRSB* in_;
    rt::Vector<Cluster> clusters_;
    usize next_ = 0;
};

}  // namespace memspy::instrument
