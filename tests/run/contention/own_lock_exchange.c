// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: work under a lock that is given by an exchange, as a sequentially consistent store is on amd64, does not overlap
// PROVES: in the model, though no thread ever met it taken
// ARCH: x86_64
// COMPILE: gcc clang -O1 -O2 -pthread
// SET: THREADS=4 ROUNDS=100 COUNT=300 COMPARE=0
// SET: THREADS=3 ROUNDS=80 COUNT=400 COMPARE=1
// The turns before the word is known to be a lock overlap, and how many these are depends on where the threads' slices
// end. Without the replay there is about one for each addition.
// COUNTS: modelled total_of misses=THREADS*ROUNDS*0.3..THREADS*ROUNDS*COUNT/2 invalidations<=THREADS*ROUNDS*COUNT/2
// SHARING: TrueSharing names="total_of lock" maybe=yes
// SHARING: FalseSharing names="total_of lock" maybe=yes
#include "workers.h"

static LINE_ALIGNED int total_of[LINE / sizeof(int)];
static LINE_ALIGNED int lock;

static void take(void) {
    for (int seen = 1; seen != 0;) {
        seen = 0;
        if (COMPARE)
            __atomic_compare_exchange_n(&lock, &seen, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        else
            seen = __atomic_exchange_n(&lock, 1, __ATOMIC_SEQ_CST);
    }
}
static void give(void) { __atomic_exchange_n(&lock, 0, __ATOMIC_SEQ_CST); }

#include "locked_sums.h"
