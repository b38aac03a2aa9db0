// SPDX-License-Identifier: GPL-2.0-or-later
// Threads wait for a flag beside which one thread counts. Their looks are no accesses, but they use the flag.
// EXPECT: FalseSharing pool 'Separate what is written .pool.jobs. from what is only read'
#include <stdatomic.h>

#include "../../include/workers.h"
enum { THREADS = 4, ROUNDS = 2500 };
static struct {
    LINE_ALIGNED atomic_int stop;
#ifdef MENDED
    LINE_ALIGNED
#endif
    atomic_long jobs;
} pool;

static void work(int index) {
    if (index == 0) {
        for (int i = 0; i < ROUNDS; ++i) {
            pass_time(20);
            atomic_fetch_add_explicit(&pool.jobs, 1, memory_order_relaxed);
        }
        atomic_store(&pool.stop, 1);
        return;
    }
    while (!atomic_load_explicit(&pool.stop, memory_order_relaxed)) continue;
}

int main(void) {
    run_together(THREADS, work);
    return pool.jobs != ROUNDS;
}
