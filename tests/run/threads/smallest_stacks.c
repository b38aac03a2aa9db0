// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: stacks of a few pages that lie one after another are told apart: 40 threads at once see each other's
//   memory as alive, and each a pointer into a frame of its own that has returned, with one error each.
// COMPILE: gcc clang -O0 -O2 -pthread -Wno-return-local-addr -Wno-return-stack-address
// ARGS: --contention=no
// With another library the stacks lie elsewhere, and many threads begin in tracking translations.
// ALSO: LD_PRELOAD=libz.so.1
#include <limits.h>
#include <pthread.h>
#include <valgrind/valgrind.h>
#include "case.h"

enum { kThreads = 40 };
static pthread_barrier_t all_there, all_read;
static int* shared[kThreads];

NOINLINE static int* dangling(void) {
    int a[64];
    for (int i = 0; i < 64; ++i) a[i] = i;
    return HIDE(a);
}

static void* work(void* argument) {
    const long self = (long)argument;
    int mine[16];
    for (int i = 0; i < 16; ++i) mine[i] = i;
    shared[self] = mine;
    pthread_barrier_wait(&all_there);
    int sum = 0;
    for (int t = 0; t < kThreads; ++t)
        for (int i = 0; i < 16; ++i) sum += shared[t][i];
    int* gone = dangling();
    NEED(gone[3]); /* expect: InvalidRead text="below the stack pointer, in a frame" */
    pthread_barrier_wait(&all_read);
    return (void*)(long)(sum != 120 * kThreads);
}

int main(void) {
    pthread_barrier_init(&all_there, NULL, kThreads);
    pthread_barrier_init(&all_read, NULL, kThreads);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) != 0) return 2;
    pthread_t threads[kThreads];
    long wrong = 0;
    // The second time on the stacks of the first.
    for (int round = 0; round < 2; ++round) {
        for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], &attr, work, (void*)i);
        for (int i = 0; i < kThreads; ++i) {
            void* result;
            pthread_join(threads[i], &result);
            wrong += (long)result;
        }
    }
    return wrong != 0 || VALGRIND_COUNT_ERRORS != 2 * kThreads;
}
