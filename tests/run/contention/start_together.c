// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: threads that yield until all have come start their work together, though one is let go before it was seen to
// PROVES: load the word twice
// COMPILE: gcc clang -O0 -O2 -pthread
// ARGS: --sharing-floor=1000000000
// SET: THREADS=2 WRITES=20000
// SET: THREADS=4 WRITES=5000
// COUNTS: modelled counter misses>=0.9*(THREADS-1)*WRITES invalidations>=0.9*(THREADS-1)*WRITES
// EXPECT: nothing
#include <sched.h>

#include "workers.h"

static LINE_ALIGNED long counter[LINE / sizeof(long)];
static LINE_ALIGNED int ready[LINE / sizeof(int)];

static void work(int index) {
    __atomic_add_fetch(&ready[0], 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&ready[0], __ATOMIC_ACQUIRE) < THREADS) sched_yield();
    for (int i = 0; i < WRITES; ++i) INCREMENT(counter[index]);
}

int main(void) {
    run_threads(THREADS, work);
    return 0;
}
