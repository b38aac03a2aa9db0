// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: neighbouring structs of one heap array, one for each thread, are falsely shared, and the array's allocation is named
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: THREADS=4 COUNT=20000 SIZE=16
// SET: THREADS=6 COUNT=9000 SIZE=24
// SET: THREADS=3 COUNT=30000 SIZE=8
// SET: THREADS=5 COUNT=9000 SIZE=40
// ALSO: --interleave=1000
// COUNTS: modelled heap:array events>=0.75*THREADS*COUNT true<=20
// SHARING: FalseSharing text="64" alloc=array at="add"
#include "workers.h"

struct Counter {
    long value;
#if SIZE > 8
    char rest[SIZE - 8];
#endif
};

static LINE_ALIGNED struct Counter* counters;

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) INCREMENT(counters[index].value); /* label: add */
}

int main(void) {
    counters = malloc(THREADS * sizeof *counters); /* label: array */
    for (int i = 0; i < THREADS; ++i) counters[i].value = 0;
    run_together(THREADS, work);
    NEED_TRUE(counters[THREADS - 1].value == COUNT);
    free(counters);
    return 0;
}
