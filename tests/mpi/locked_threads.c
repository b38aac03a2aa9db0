// SPDX-License-Identifier: GPL-2.0-or-later
//
// Threads that wait for a lock and at a barrier.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static volatile long sum;

static void* work(void* argument) {
    for (int round = 0; round < 20; ++round) {
        pthread_mutex_lock(&lock);
        for (int i = 0; i < 1000; ++i) ++sum;
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&barrier);
    }
    return argument;
}

int main(void) {
    enum { kThreads = 3 };
    pthread_t threads[kThreads];
    pthread_barrier_init(&barrier, 0, kThreads);
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
    return 0;
}
