// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: signal handlers count, with their own stacks, and the interrupted code's stack stays right
// COMPILE: gcc -O0 -O2 -pthread
// SET: THREADS=3 ROUNDS=600 STEPS=100
// SET: THREADS=2 ROUNDS=1500 STEPS=40
// COUNTS: modelled hits misses=THREADS*ROUNDS~15% invalidations=THREADS*ROUNDS~15%
// COUNTS: modelled steps misses=THREADS*ROUNDS*STEPS~25% invalidations=THREADS*ROUNDS*STEPS~25%
// SHARING: FalseSharing names="hits" at="in_handler"
// SHARING: FalseSharing names="steps" at="in_work" calls="work worker_main"
#include <signal.h>

#include "workers.h"

static LINE_ALIGNED int hits[LINE / sizeof(int)];
static LINE_ALIGNED int steps[LINE / sizeof(int)];
static __thread int self;

static void on_signal(int number) {
    (void)number;
    INCREMENT(hits[self]); /* label: in_handler */
}

NOINLINE static void work(int index) {
    self = index;
    for (int i = 0; i < ROUNDS; ++i) {
        raise(SIGUSR1);
        for (int k = 0; k < STEPS; ++k) INCREMENT(steps[index]); /* label: in_work */
    }
    NEED_TRUE(hits[index] == ROUNDS);
}

int main(void) {
    signal(SIGUSR1, on_signal);
    run_together(THREADS, work);
    return 0;
}
