// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: structs of a line each in an aligned heap array are not shared
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: THREADS=4 COUNT=20000
// SET: THREADS=9 COUNT=9000
// COUNTS: modelled heap:array events<=4*THREADS
// EXPECT: nothing
#include "workers.h"

struct Counter {
    LINE_ALIGNED long value;
};

static LINE_ALIGNED struct Counter* counters;

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) INCREMENT(counters[index].value);
}

int main(void) {
    counters = aligned_alloc(LINE, THREADS * sizeof *counters); /* label: array */
    for (int i = 0; i < THREADS; ++i) counters[i].value = 0;
    run_together(THREADS, work);
    NEED_TRUE(counters[THREADS - 1].value == COUNT);
    free(counters);
    return 0;
}
