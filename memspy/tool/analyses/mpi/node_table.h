// SPDX-License-Identifier: GPL-2.0-or-later
//
// A table that all ranks of a node share: a file that each of them maps, and the last one unlinks. It is all
// zeros at first.
#pragma once

#include "rt/base.h"

namespace memspy::mpi {

class NodeTable {
public:
    // Returns the table, whose first word counts the processes that have it; null if there is none.
    void* map(const char* what, usize bytes);
    void forget();  // its name, if not all processes came

private:
    char path_[512] = {};
};

// An entry of a table that processes share, for a moment. Nobody waits for one that was killed meanwhile.
class EntryLock {
public:
    explicit EntryLock(u32& word);
    ~EntryLock();
    EntryLock(const EntryLock&) = delete;
    EntryLock& operator=(const EntryLock&) = delete;
    bool held() const { return held_; }

private:
    u32& word_;
    bool held_ = false;
};

}  // namespace memspy::mpi
