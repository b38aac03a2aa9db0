// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a thousand threads that wait for each other end as soon as they have met: who runs next is not asked of each at
// each turn.
// COMPILE: gcc -O2 -pthread
// ARGS: --max-threads=1100
// EXPECT: nothing
#include <pthread.h>
#include <stdlib.h>
#include "case.h"

enum { kThreads = 1000 };

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void* work(void* argument) {
    long* own = (long*)malloc(sizeof(long));
    *own = (long)argument;
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    sum += *own;
    pthread_mutex_unlock(&mutex);
    free(own);
    return 0;
}

int main(void) {
    static pthread_t threads[kThreads];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_barrier_init(&barrier, 0, kThreads);
    for (long i = 0; i < kThreads; ++i)
        if (pthread_create(&threads[i], &small, work, (void*)i) != 0) return 2;
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
    return sum != (long)kThreads * (kThreads - 1) / 2;
}
