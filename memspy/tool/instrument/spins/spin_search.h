// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loops in which a thread waits for others without a hint to the processor, known by what they do.
//
// A thread that the core has stopped at the end of its slice waits if, should nobody else do anything, it
// would come back to the same place again and again, and
//
//   * others can see nothing of a trip when it is over: what it stores to, but for its stack, is as it was (a lock that
//     it takes, under which it looks, and that it gives back), and it calls nothing of the system but for the time;
//   * some branch of the trip depends on words of memory that the loop loads and does not store to, and on nothing
//     that varies from trip to trip, such as a counter. So it goes the same way each time until somebody stores to
//     these words;
//   * the branch's other way leads out of the loop: it does not come back without others seeing it, or comes back with
//     something else in place of what does not vary, such as the next word to look at.
//
// So `while (!flag) ++looks;` waits, a sum over memory that nobody changes does not, nor does a delay of so
// many trips, in whatever way it was compiled. From then on the branch that stays in the loop has the hint:
// it yields as a `pause` does.
#pragma once

#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::instrument {

struct SpinLoop {
    bool found = false;
    bool changes = false;  // it takes a lock and gives it back, say
    Address branch = 0;    // the instruction
    static constexpr u32 kMostWords = 8;
    Address words[kMostWords] = {};  // that the branch depends on
    u32 count = 0;
    rt::Vector<Address> instructions;  // of the loop, as far as it was followed
    u32 looks = 0;                     // so often the branch was met in that
};
// The thread is not in client code. What was found is marked: the code is made again.
void search_spin(u32 guest_id, SpinLoop* found);
// Of a loop that was found.
bool is_spin_code(Address instruction);

// An atomic update by which such a loop looks at a word. It counts as a load.
bool is_look(Address instruction);

// Makes branches of the superblock yield that are known to wait.
void mark_spins(IRSB* block);

}  // namespace memspy::instrument
