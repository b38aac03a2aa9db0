// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: modelled counts are the same in each run, to the last event of the C library's own data
// COMPILE: gcc -O0 -pthread
// REPEAT: 3
// Long enough for all threads to start before the first one ends: otherwise the next one may reuse its stack.
// SET: THREADS=4 COUNT=40000
// SET: THREADS=3 COUNT=30000
// SHARING: anything
// COUNTS: modelled counters events>=THREADS*COUNT
#include "workers.h"

#ifdef EXCLUSIVE_PAIRS  // the store fails after an interrupt, and the pair is executed again
#define ADD_ONE(x) (++(x))
#else
#define ADD_ONE(x) __atomic_fetch_add(&(x), 1, __ATOMIC_RELAXED)
#endif

static LINE_ALIGNED int counters[LINE / sizeof(int)];
static LINE_ALIGNED long total[64];

static void work(int index) {
    unsigned state = index + 1;
    for (int i = 0; i < COUNT; ++i) {
        state = state * 1664525u + 1013904223u;
        counters[index] += i;
        if (i % 50 == index) total[(state >> 9) % 64] += counters[(state >> 20) % 8];
        if (state >> 31) ADD_ONE(counters[8 + i % 3]);
    }
}

int main(void) {
    run_threads(THREADS, work);
    return 0;
}
