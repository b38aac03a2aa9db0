// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: threads that free blocks of each other leave no error and no leak.
// COMPILE: gcc clang -O0 -O2 -pthread
// The threads only compete for a lock, which another analysis reports.
// ARGS: --contention=no
// EXPECT: nothing
#include <pthread.h>
#include <stdlib.h>
#include "case.h"

enum { kThreads = 8, kRounds = 300 };
static void* box[kThreads];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* run(void* arg) {
    long me = (long)arg;
    for (int i = 0; i < kRounds; i++) {
        int* p = (int*)malloc(sizeof(int) * (size_t)(1 + i % 50));
        p[0] = i;
        pthread_mutex_lock(&lock);
        void* old = box[(me + i) % kThreads];
        box[(me + i) % kThreads] = p;
        pthread_mutex_unlock(&lock);
        if (old) BRANCH_ON(((int*)old)[0] == 3);
        free(old);
    }
    return 0;
}

int main(void) {
    pthread_t t[kThreads];
    for (long i = 0; i < kThreads; i++) pthread_create(&t[i], 0, run, (void*)i);
    for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
    for (int i = 0; i < kThreads; i++) free(box[i]);
    return 0;
}
