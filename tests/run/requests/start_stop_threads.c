// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: any thread can stop and start the instrumentation at any time, deep in calls, while others run, start and
// end; errors of all threads are reported before and after, none in between.
// COMPILE: gcc clang -O0 -O2 -pthread
// TOOL: memspy
#include <pthread.h>
#include <stdlib.h>
#include "case.h"
#include "memspy.h"

enum { kThreads = 6, kRounds = 40 };
// A line each, so that there is no false sharing; the last is for short-lived threads.
static volatile struct { int count, rest[31]; } counters[kThreads + 1] __attribute__((aligned(128)));
static pthread_barrier_t all;
static char* block;

NOINLINE static void work(int me, int calls) {
    if (calls > 0) {
        work(me, calls - 1);
        counters[me].count++;
        return;
    }
    for (int i = 0; i < 300; i++) counters[me].count++;
}
NOINLINE static void switch_deep(int calls, int on) {
    if (calls > 0) {
        switch_deep(calls - 1, on);
        ESCAPE(&calls);
    } else if (on) {
        MEMSPY_START_INSTRUMENTATION;
    } else {
        MEMSPY_STOP_INSTRUMENTATION;
    }
}
NOINLINE static void before(volatile char* p) { p[10] = 1; }  /* expect: InvalidWrite alloc=A */
NOINLINE static void between(volatile char* p) { p[11] = 1; }
NOINLINE static void after(volatile char* p) { p[12] = 1; }  /* expect: InvalidWrite alloc=A */
NOINLINE static void* short_lived(void* unused) { work(kThreads, 30); return 0; }

static void* run(void* arg) {
    int me = (int)(long)arg;
    before(block);
    for (int round = 0; round < kRounds; round++) {
        work(me, round);
        if (round % kThreads == me) switch_deep(round, 0);
        pthread_t extra;
        if (me == 0) pthread_create(&extra, 0, short_lived, 0);
        work(me, round);
        if (me == 0) pthread_join(extra, 0);
        if (round % kThreads == me) switch_deep(2 * round, 1);
        work(me, round);
    }
    pthread_barrier_wait(&all);
    if (me == 1) switch_deep(3, 0);
    pthread_barrier_wait(&all);
    between(block);
    pthread_barrier_wait(&all);
    if (me == 2) switch_deep(3, 1);
    pthread_barrier_wait(&all);
    after(block);
    return 0;
}

int main(void) {
    block = HIDE((char*)malloc(10));  /* label: A */
    pthread_barrier_init(&all, 0, kThreads);
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, run, (void*)i);
    for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
    free(block);
    return 0;
}
