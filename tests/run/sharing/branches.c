// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a branch is not a call: behind one, and after a jump at the end of a function, the callers are the right
// PROVES: ones
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: COUNT=6000
// COUNTS: modelled counters misses=2*COUNT~5% invalidations=2*COUNT~5%
// COUNTS: modelled others misses=2*COUNT~5% invalidations=2*COUNT~5%
// SHARING: FalseSharing names="counters" at="add" from="work worker_main"
// SHARING: FalseSharing names="others" at="add_other" from="add_other last_step work worker_main" when=-O0
// SHARING: FalseSharing names="others" at="add_other" from="add_other work worker_main" when=-O2
#include "workers.h"

static LINE_ALIGNED int counters[LINE / sizeof(int)];
static LINE_ALIGNED int others[LINE / sizeof(int)];

NOINLINE static void add_other(int index) { INCREMENT(others[index]); /* label: add_other */ }

// With optimisation it jumps there: its caller becomes the caller of add_other.
NOINLINE static void last_step(int index) {
    BARRIER();
    add_other(index);
}

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        INCREMENT(counters[index]); /* label: add */
        last_step(index);
    }
}

int main(void) {
    run_together(2, work);
    return 0;
}
