// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an access deep in a recursion has the stack of that depth
// COMPILE: gcc -O0 -O2 -pthread
// SET: THREADS=2 ROUNDS=1500 DEPTH=5
// SET: THREADS=3 ROUNDS=300 DEPTH=60
// COUNTS: modelled counters misses=THREADS*ROUNDS*(DEPTH+1)~10% invalidations=THREADS*ROUNDS*(DEPTH+1)~10%
// SHARING: FalseSharing names="counters" at="add" calls="descend descend"
#include "workers.h"

static LINE_ALIGNED int counters[LINE / sizeof(int)];

NOINLINE static int descend(int index, int depth) {
    INCREMENT(counters[index]); /* label: add */
    if (depth == 0) return 1;
    const int below = descend(index, depth - 1);
    BARRIER();
    return below + 1;
}

static void work(int index) {
    for (int i = 0; i < ROUNDS; ++i) NEED_TRUE(descend(index, DEPTH) == DEPTH + 1);
}

int main(void) {
    run_together(THREADS, work);
    return 0;
}
