// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: modelled counts are the same in each run with --fair-sched=yes
// COMPILE: gcc -O0 -pthread
// ARGS: --fair-sched=yes
// REPEAT: yes
// SET: THREADS=4 COUNT=4000
// SET: THREADS=3 COUNT=10000
// SHARING: anything
// COUNTS: modelled counters events>=THREADS*COUNT
#include <semaphore.h>

#include "workers.h"

static LINE_ALIGNED int counters[LINE / sizeof(int)];
static LINE_ALIGNED long total;
static LINE_ALIGNED pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LINE_ALIGNED sem_t tokens;

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        counters[index] += i;
        if (i % 50 == index) {
            while (sem_wait(&tokens)) {}
            pthread_mutex_lock(&lock);
            total += counters[index];
            pthread_mutex_unlock(&lock);
            sem_post(&tokens);
        }
        __atomic_fetch_add(&counters[8 + i % 3], 1, __ATOMIC_RELAXED);
    }
}

int main(void) {
    sem_init(&tokens, 0, 2);
    run_threads(THREADS, work);
    return 0;
}
