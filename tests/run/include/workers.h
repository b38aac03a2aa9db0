// SPDX-License-Identifier: GPL-2.0-or-later
//
// Common parts of programs with threads.
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "case.h"

#define LINE 64
#define LINE_ALIGNED __attribute__((aligned(LINE)))

// Ends the test with a message if the test program itself does not work as intended.
#define NEED_TRUE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(3); \
        } \
    } while (0)

// One instruction that loads and stores, so that nothing happens between the two. Not atomic.
#if defined(__x86_64__)
#define INCREMENT(x) \
    do { \
        if (sizeof(x) == 1) __asm__ volatile("addb $1, %0" : "+m"(x)); \
        if (sizeof(x) == 2) __asm__ volatile("addw $1, %0" : "+m"(x)); \
        if (sizeof(x) == 4) __asm__ volatile("addl $1, %0" : "+m"(x)); \
        if (sizeof(x) == 8) __asm__ volatile("addq $1, %0" : "+m"(x)); \
    } while (0)
#elif defined(__ARM_FEATURE_ATOMICS)
#define INCREMENT(x) __atomic_fetch_add(&(x), 1, __ATOMIC_RELAXED)
#else
#define EXCLUSIVE_PAIRS 1  // the processor has no atomic additions
// A load and a store; clang's code for the builtin at -O0 loads twice.
#define INCREMENT_BY(x, size, width) \
    __asm__ volatile("1: ldxr" size " %" width "0, %2\n add %0, %0, 1\n stxr" size " %w1, %" width "0, %2\n cbnz %w1, 1b" \
                     : "=&r"(increased_), "=&r"(failed_), "+Q"(x))
#define INCREMENT(x) \
    do { \
        long increased_, failed_; \
        if (sizeof(x) == 1) INCREMENT_BY(x, "b", "w"); \
        if (sizeof(x) == 2) INCREMENT_BY(x, "h", "w"); \
        if (sizeof(x) == 4) INCREMENT_BY(x, "", "w"); \
        if (sizeof(x) == 8) INCREMENT_BY(x, "", ""); \
    } while (0)
#endif

// The processor's hint for spinning.
#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() __asm__ volatile("yield")
#endif

// One load or store of exactly that size, which the compiler does not move.
#define LOAD(x) (*(const volatile __typeof__(x)*)&(x))
#define STORE(x, value) (*(volatile __typeof__(x)*)&(x) = (value))

// `n` short steps without shared data.
static inline void pass_time(int n) {
    for (int i = 0; i < n; ++i) __asm__ volatile("nop");
}

struct Worker {
    pthread_t thread;
    int index;
    void (*work)(int);
    pthread_barrier_t* start;
} __attribute__((aligned(128)));  // workers read their own entry while others are made

static void* worker_main(void* argument) {
    struct Worker* self = (struct Worker*)argument;
    int index = self->index;
    void (*work)(int) = self->work;
    if (self->start) pthread_barrier_wait(self->start);
    work(index);
    return NULL;
}

static inline void run_workers(int count, void (*work)(int), pthread_barrier_t* start) {
    struct Worker* workers = (struct Worker*)aligned_alloc(128, sizeof(struct Worker) * count);
    for (int i = 0; i < count; ++i) {
        workers[i].index = i;
        workers[i].work = work;
        workers[i].start = start;
        NEED_TRUE(pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) == 0);
    }
    for (int i = 0; i < count; ++i) pthread_join(workers[i].thread, NULL);
    free(workers);
}

// work(0) … work(count - 1), each in a thread that starts as soon as it is made.
static inline void run_threads(int count, void (*work)(int)) { run_workers(count, work, NULL); }

// The same, but all start at the same time.
static inline void run_together(int count, void (*work)(int)) {
    struct {
        char before[LINE];
        pthread_barrier_t barrier;
        char after[LINE];
    } start;
    pthread_barrier_init(&start.barrier, NULL, count);
    run_workers(count, work, &start.barrier);
    pthread_barrier_destroy(&start.barrier);
}
