// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: readers of a read-write lock hold it together: on data that they only read, each writer's turn costs every
// PROVES: thread at most one miss
// COMPILE: gcc -O1 -pthread
// SET: THREADS=4 ROUNDS=200
// ALSO: --defects=no
// COUNTS: modelled table events<=2*16*THREADS*ROUNDS/20 false<=64
// COUNTS: modelled table events>=16*ROUNDS/20
// SHARING: anything
#include "workers.h"

#define COUNT 256
static LINE_ALIGNED int table[COUNT];
static LINE_ALIGNED pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static LINE_ALIGNED char end[LINE];

static void work(int index) {
    int sum = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        if (index == 0 && round % 20 == 19) {
            pthread_rwlock_wrlock(&lock);
            for (int i = 0; i < COUNT; ++i) STORE(table[i], round);
            pthread_rwlock_unlock(&lock);
        }
        pthread_rwlock_rdlock(&lock);
        for (int i = 0; i < COUNT; ++i) sum += LOAD(table[i]);
        pthread_rwlock_unlock(&lock);
    }
    NEED_TRUE(sum >= 0);
}

int main(void) {
    NEED_TRUE(end[0] == 0);
    run_together(THREADS, work);
    return 0;
}
