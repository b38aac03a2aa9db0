// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: who waits for a counter that another thread counts up goes on at its next number, not at the last one that the
// PROVES: core let the other thread store: both work at the same time nearly always, so their line goes back and forth
// COMPILE: gcc -O0 -O2 -pthread
// ARGS: --sharing-floor=1000000000
// SET: STEPS=3000 WRITES=10 YIELDS=0 PAUSES=1
// SET: STEPS=500 WRITES=60 YIELDS=1 PAUSES=0
// SET: STEPS=2000 WRITES=20 YIELDS=0 PAUSES=0
// COUNTS: modelled watched events>=5*STEPS*WRITES/2
// EXPECT: nothing
#include <sched.h>

#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];
static LINE_ALIGNED int done[LINE / sizeof(int)];

static void work(int index) {
    for (int step = 1; step <= STEPS; ++step) {
        if (index == 1)
            while (__atomic_load_n(&done[0], __ATOMIC_ACQUIRE) < step) {
                if (YIELDS) sched_yield();
                if (PAUSES) PAUSE();
            }
        for (int i = 0; i < WRITES; ++i) INCREMENT(watched[index]);
        if (index == 0) __atomic_store_n(&done[0], step, __ATOMIC_RELEASE);
    }
}

int main(void) {
    run_threads(2, work);
    return 0;
}
