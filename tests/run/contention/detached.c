// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: detached threads count like others, each separately
// COMPILE: gcc -O0 -O2 -pthread
// ARGS: --leak-check=no --sharing-floor=1000000000
// SET: THREADS=20 WRITES=400
// SET: THREADS=9 WRITES=5000
// COUNTS: modelled watched misses=THREADS cold=1 invalidations=THREADS-1
// COUNTS: observed watched misses=THREADS cold=1 invalidations=THREADS-1
// COUNTS: modelled total threads=THREADS+1
// EXPECT: nothing
#include <semaphore.h>

#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];
static LINE_ALIGNED sem_t done;

static void* once(void* argument) {
    for (int i = 0; i < WRITES; ++i) INCREMENT(watched[(long)argument % 8]);
    sem_post(&done);
    return NULL;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sem_init(&done, 0, 0);
    for (long i = 0; i < THREADS; ++i) {
        pthread_t thread;
        NEED_TRUE(pthread_create(&thread, &attributes, once, (void*)i) == 0);
        while (sem_wait(&done)) {}
    }
    return 0;
}
