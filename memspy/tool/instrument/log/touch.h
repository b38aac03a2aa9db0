// SPDX-License-Identifier: GPL-2.0-or-later
//
// Marks cache lines as touched while the program has one thread. Each line has a byte, stored inline without
// a test: a store is cheaper than any branch around it.
//
// The bytes are one array (256 MiB of addresses with lines of 64 bytes), of which the pages that are written
// cost memory: so a mark is two shifts and a store. A table of pieces took five instructions more. It has the
// lowest 15 GiB of the client's address space and the highest one, with the first stack. An array for all of
// it, of 2 GiB, takes what a system that promises no more memory than it has (vm.overcommit_memory=2), or
// `ulimit -v`, has for all. Of memory between the two, lines are not known as touched, and their marks fall
// on lines of the lowest.
//
// Where the system has no room for the array, no line is known as touched.
#pragma once

#include "instrument/core/observer.h"

namespace memspy::instrument {

bool initialise_touched();  // false: there is no room
bool was_touched(Address a);
void touch(Address begin, usize bytes);  // an access by the core for the client

// Emits the marks of one superblock. Accesses off one base that lie within a line's size of each other, with
// no side exit between them, need two marks: at the lowest and at the highest start.
class TouchWriter final : public Observer {
public:
    TouchWriter(Emitter& emit, const IRSB* in) : emit_(emit), in_(in) {}
    void begin(int begin, int end) override;  // plans the marks
    void access(int statement, const Access& access, const Origin& origin) override;

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
    IRExpr* marks_ = nullptr;  // the array's address, once the superblock has it in a temporary
    Scratch<Cluster> clusters_;
    usize next_ = 0;
};

}  // namespace memspy::instrument
