// SPDX-License-Identifier: GPL-2.0-or-later
//
// Marks cache lines as touched while the program has one thread. Each line has a byte, stored inline without
// a test: a store is cheaper than any branch around it.
//
// The bytes are in slots, one for each GiB of the client's address space; a table leads to them. Slots
// without client memory share one that is never read.
#pragma once

#include "instrument/access.h"

namespace memspy::instrument {

void initialise_touched();
// Gives [begin, begin + bytes) slots of its own. Call it when memory becomes the client's.
void make_touchable(Address begin, usize bytes);
bool was_touched(Address a);
void touch(Address begin, usize bytes);  // an access by the core for the client

// Emits the marks of one superblock. Accesses off one base that lie within a line's size of each other, with
// no side exit between them, need two marks: at the lowest and at the highest start.
class TouchWriter {
public:
    // Emits nothing unless the policy asks for marks of lines.
    TouchWriter(Emitter& emit, const IRSB* in) : emit_(emit), in_(in) {}
    void begin(int begin, int end);  // plans statements [begin, end)
    // Call after statement number `statement` and its checks have been emitted.
    void emitted(int statement);

private:
    struct Cluster {
        int leader;  // its first statement
        int segment;
        Origin origin;  // of the leader
        i64 low, high;  // the lowest and the highest start, from the leader's address
    };
    void plan(int statement, const Access& access, const Origin& origin, int segment);
    void mark(IRExpr* address);

    Emitter& emit_;
    const IRSB* in_;
    rt::Vector<Cluster> clusters_;
    usize next_ = 0;
};

}  // namespace memspy::instrument
