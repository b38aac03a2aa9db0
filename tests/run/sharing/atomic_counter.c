// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a counter that all threads add to atomically is truly shared
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: THREADS=4 COUNT=20000
// SET: THREADS=2 COUNT=50000
// SET: THREADS=11 COUNT=3000
// ALSO: --defects=no
// COUNTS: modelled counter misses=THREADS*COUNT~8% invalidations=THREADS*COUNT~8% false<=0.01*THREADS*COUNT
// SHARING: TrueSharing names="counter" at="add"
#include "workers.h"

#ifdef EXCLUSIVE_PAIRS  // clang's code for the builtin at -O0 has one more load
#define ADD_ONE(x) INCREMENT(x)
#else
#define ADD_ONE(x) __atomic_fetch_add(&(x), 1, __ATOMIC_SEQ_CST)
#endif

static LINE_ALIGNED long counter;
static LINE_ALIGNED char end[LINE];

static void work(int index) {
    (void)index;
    for (int i = 0; i < COUNT; ++i) ADD_ONE(counter); /* label: add */
}

int main(void) {
    NEED_TRUE(end[1] == 0);
    run_together(THREADS, work);
    return counter != (long)THREADS * COUNT;
}
