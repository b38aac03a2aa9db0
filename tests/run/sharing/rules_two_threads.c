// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: each rule of true and false sharing between two threads, one access at a time
// COMPILE: gcc clang -O0 -O2 -pthread
// COUNTS: modelled watched cold=1 first=1 coherence=5 invalidations=6 true=7 false=5
// COUNTS: observed watched cold=1 first=1 coherence=5 invalidations=6
// EXPECT: nothing
#include "steps.h"

STEPS_MAIN(2, watched, {
    {0, 'S', 0, 4},   // cold
    {1, 'L', 2, 1},   // first touch; byte 2 was written by 0: true
    {0, 'S', 0, 1},   // invalidation; byte 0 was not touched by 1: false
    {1, 'L', 8, 8},   // coherence; 8 to 15 were not written by 0 since: false
    {0, 'S', 12, 4},  // invalidation; 1 has read them: true
    {0, 'S', 12, 4},  // no other thread has it: nothing
    {1, 'L', 12, 1},  // coherence, true
    {1, 'S', 40, 8},  // invalidation; 0 never touched 40 to 47: false
    {1, 'L', 0, 8},   // has it: nothing
    {0, 'L', 47, 1},  // coherence, true
    {1, 'B', 47, 1},  // has it; invalidation, 0 has read 47: true
    {0, 'B', 28, 4},  // coherence by its load, false; invalidation by its store, false
    {1, 'L', 30, 1},  // coherence, true
    {0, 'S', 30, 1},  // invalidation, true
    {0, 'L', 63, 1},  // has it: nothing
})
