// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a flag that a thread polls with sched_yield in between orders the two threads: the polled line's data does
// PROVES: not go back and forth
// COMPILE: gcc -O0 -O2 -pthread
// ARGS: --sharing-floor=1000000000
// SET: ROUNDS=250 WRITES=120
// SET: ROUNDS=90 WRITES=700
// ALSO: --interleave=100
// Where the second thread first looks only after the first handover, it never polled for it: nothing shows that it waits.
// COUNTS: modelled watched misses=2*ROUNDS-1..2*ROUNDS cold=1 invalidations=2*ROUNDS-2..2*ROUNDS-1 when=!--interleave
// So it is with the first one too if its slice ends between its store and its first look; and if one ends before the model
// knows the word, two pieces of work may overlap.
// COUNTS: modelled watched misses=2*ROUNDS-2..2*ROUNDS+2*WRITES cold=1 invalidations=2*ROUNDS-3..2*ROUNDS+2*WRITES when=--interleave
// COUNTS: observed watched misses=2*ROUNDS cold=1 invalidations=2*ROUNDS-1
// EXPECT: nothing
#include <sched.h>

#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];
static LINE_ALIGNED int turn[LINE / sizeof(int)];

static void work(int index) {
    for (int round = 0; round < ROUNDS; ++round) {
        while (__atomic_load_n(&turn[0], __ATOMIC_ACQUIRE) != index) sched_yield();
        for (int i = 0; i < WRITES; ++i) INCREMENT(watched[i % 8]);
        __atomic_store_n(&turn[0], !index, __ATOMIC_RELEASE);
    }
}

int main(void) {
    run_threads(2, work);
    return 0;
}
