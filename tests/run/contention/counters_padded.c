// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: threads that each add to an int in a line of its own cost nothing
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: THREADS=4 COUNT=100000
// SET: THREADS=9 COUNT=3000
// ALSO: --interleave=100
// ALSO: --defects=no
// COUNTS: modelled counters first=0 coherence=0 invalidations=0
// COUNTS: observed counters first=0 coherence=0 invalidations=0
// COUNTS: modelled total events<=60*THREADS
// EXPECT: nothing
#include "workers.h"

static struct {
    LINE_ALIGNED int value;
} counters[THREADS];

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) INCREMENT(counters[index].value);
    NEED_TRUE(counters[index].value == COUNT);
}

int main(void) {
    run_threads(THREADS, work);
    return 0;
}
