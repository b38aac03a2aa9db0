// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the rules of true and false sharing with a third thread in between
// COMPILE: gcc clang -O0 -O2 -pthread
// COUNTS: modelled watched cold=1 first=2 coherence=5 invalidations=4 true=6 false=5
// COUNTS: observed watched cold=1 first=2 coherence=5 invalidations=4
// EXPECT: nothing
#include "steps.h"

STEPS_MAIN(3, watched, {
    {0, 'S', 0, 1},   // cold
    {1, 'L', 0, 1},   // first touch, true
    {2, 'S', 8, 8},   // first touch, false: they were not written; invalidation, false
    {1, 'L', 0, 1},   // coherence; 0 wrote it before 1's last copy, 2 did not: false
    {0, 'L', 8, 1},   // coherence, true: 2 wrote it
    {2, 'S', 0, 1},   // invalidation; 1 has read byte 0 in its present copy: true
    {0, 'S', 20, 4},  // 0 lost the line: coherence, 20 to 23 unwritten: false; invalidation of 2: false
    {1, 'L', 0, 1},   // coherence; 2 wrote byte 0 since 1 lost the line, though 0's store came between: true
    {2, 'L', 20, 1},  // coherence; 0 wrote 20: true
    {1, 'S', 20, 1},  // has it; invalidation: 0 wrote and 2 read byte 20 in copies that are valid: true
})
