// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: stacks are right after longjmp out of many calls, again and again
// COMPILE: gcc -O0 -O2 -pthread
// SET: THREADS=2 ROUNDS=2000 DEPTH=9
// SET: THREADS=4 ROUNDS=700 DEPTH=30
// COUNTS: modelled counters misses=THREADS*ROUNDS~10% invalidations=THREADS*ROUNDS~10%
// SHARING: FalseSharing names="counters" at="add" calls="add work worker_main"
#include <setjmp.h>

#include "workers.h"

static LINE_ALIGNED int counters[LINE / sizeof(int)];

NOINLINE static void fall(jmp_buf back, int depth) {
    if (depth == 0) longjmp(back, 1);
    fall(back, depth - 1);
    BARRIER();
}

NOINLINE static void add(int index) {
    INCREMENT(counters[index]); /* label: add */
}

NOINLINE static void work(int index) {
    for (volatile int i = 0; i < ROUNDS; ++i) {
        jmp_buf back;
        if (setjmp(back) == 0) fall(back, DEPTH);
        add(index);
        BARRIER();
    }
}

int main(void) {
    run_together(THREADS, work);
    return 0;
}
