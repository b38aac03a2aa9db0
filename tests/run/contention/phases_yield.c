// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a barrier whose waiters yield orders the turns, although some threads are released before they can be seen
// PROVES: to spin
// COMPILE: gcc -O0 -O2 -pthread
// ARGS: --sharing-floor=1000000000
// SET: THREADS=4 WRITES=1000
// SET: THREADS=7 WRITES=150
// ALSO: --interleave=1000
// COUNTS: modelled watched misses=THREADS cold=1 invalidations=THREADS-1
// COUNTS: observed watched misses=THREADS cold=1 invalidations=THREADS-1
// EXPECT: nothing
#include <sched.h>

#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];
static LINE_ALIGNED int phase[LINE / sizeof(int)];
static LINE_ALIGNED int arrived[LINE / sizeof(int)];

static void meet(void) {
    const int mine = LOAD(phase[0]);
    if (__atomic_add_fetch(&arrived[0], 1, __ATOMIC_ACQ_REL) == THREADS) {
        __atomic_store_n(&arrived[0], 0, __ATOMIC_RELAXED);
        __atomic_store_n(&phase[0], mine + 1, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&phase[0], __ATOMIC_ACQUIRE) == mine) sched_yield();
}

static void work(int index) {
    meet();
    for (int turn = 0; turn < THREADS; ++turn) {
        if (turn == index)
            for (int i = 0; i < WRITES; ++i) INCREMENT(watched[i % 8]);
        meet();
    }
}

int main(void) {
    run_threads(THREADS, work);
    return 0;
}
