// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a slot handed over by semaphores changes hands twice per item in both views
// COMPILE: gcc -O0 -O2 -pthread
// SET: ITEMS=2000 GAP=0
// SET: ITEMS=300 GAP=500
// SET: ITEMS=5000 GAP=20
// ALSO: --interleave=100
// ALSO: --interleave=1000
// COUNTS: modelled slot misses=ITEMS+1~10% invalidations=ITEMS-1~10% cold=1 true=2*ITEMS~10% false<=0.1*ITEMS
// COUNTS: observed slot misses=ITEMS+1 invalidations=ITEMS-1 cold=1 false=0
// SHARING: anything
#include <semaphore.h>

#include "workers.h"

static LINE_ALIGNED int slot[LINE / sizeof(int)];
static LINE_ALIGNED sem_t empty;
static LINE_ALIGNED sem_t full;

static void work(int index) {
    for (int i = 0; i < ITEMS; ++i) {
        if (index == 0) {
            pass_time(GAP);
            while (sem_wait(&empty)) {}
            STORE(slot[5], i);
            sem_post(&full);
        } else {
            while (sem_wait(&full)) {}
            NEED_TRUE(LOAD(slot[5]) == i);
            sem_post(&empty);
        }
    }
}

int main(void) {
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    run_threads(2, work);
    return 0;
}
