// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a slot handed over by a mutex and condition variables changes hands twice per item in both views
// COMPILE: gcc -O0 -O2 -pthread
// ARGS: --sharing-floor=1000000000
// SET: ITEMS=2000
// SET: ITEMS=450
// ALSO: --interleave=100
// COUNTS: modelled slot misses=ITEMS+1~30% invalidations=ITEMS-1~30% cold=1
// COUNTS: observed slot misses=ITEMS+1 invalidations=ITEMS-1 cold=1
// EXPECT: nothing
//
// In nearly all runs the model has all hand-overs; beside other work on the machine it lacks up to a quarter of them.
#include "workers.h"

static LINE_ALIGNED int slot[LINE / sizeof(int)];
static LINE_ALIGNED struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    pthread_cond_t emptied;
    int is_full;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void work(int index) {
    for (int i = 0; i < ITEMS; ++i) {
        pthread_mutex_lock(&gate.lock);
        while (gate.is_full != index) pthread_cond_wait(index ? &gate.filled : &gate.emptied, &gate.lock);
        if (index == 0) STORE(slot[0], i);
        else NEED_TRUE(LOAD(slot[0]) == i);
        gate.is_full = !index;
        pthread_cond_signal(index ? &gate.emptied : &gate.filled);
        pthread_mutex_unlock(&gate.lock);
    }
}

int main(void) {
    run_threads(2, work);
    return 0;
}
