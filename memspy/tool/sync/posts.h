// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tokens of a semaphore of the program's own: a word that threads add to, and that others take one from by
// comparing, once they have found it positive. (A word that is also raised by comparing is a lock or a flag: there
// who makes it smaller lets others go on.) Who takes a token goes on behind the earliest post that nobody has
// used, and lets nobody go on. No Valgrind here.
#pragma once

#include "rt/vector.h"

namespace memspy::sync {

class PostTimes {
public:
    void post(u64 time, u64 tokens);
    // A thread has taken one, the earliest; the word says that so many are left.
    void take(u64 left);
    // The time of the earliest that is left; 0 if there is none, or nobody knows whose it is.
    u64 first() const { return unknown_ != 0 || times_.empty() ? 0 : times_.back(); }

private:
    static constexpr usize kKept = 1024;  // of more tokens the last posts are not known

    rt::Vector<u64> times_;  // the latest first
    u64 unknown_ = 0;        // tokens whose posts are not known
};

}  // namespace memspy::sync
