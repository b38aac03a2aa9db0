/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program whose faults are chosen when it is compiled: OLD_FAULT, NEW_FAULT, INLINED_FAULT, SHARED (its counters
 * stand in one cache line), ROUNDS (how often they are changed), FAILS. */
#include <pthread.h>
#include <stdlib.h>

#ifndef ROUNDS
#define ROUNDS 20000
#endif
enum { WORKERS = 2 };

struct counter {
#ifdef SHARED
    volatile long value;
#else
    _Alignas(64) volatile long value;
#endif
};
static _Alignas(64) struct counter counters[WORKERS];

static void* work(void* argument) {
    for (int i = 0; i < ROUNDS; ++i) counters[(long)argument].value++;
    return NULL;
}

/* Never called with a size other than 4; the compiler must not know. */
__attribute__((noinline)) static int old_fault(volatile int* block) { return block[4]; }
__attribute__((noinline)) static void new_fault(volatile int* block) { block[4] = 1; }

static inline __attribute__((always_inline)) int element(volatile int* block, int i) { return block[i]; }
static inline __attribute__((always_inline)) int inner_sum(volatile int* block, int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += element(block, i);
    return sum;
}

int main(void) {
    pthread_t threads[WORKERS];
    for (long i = 0; i < WORKERS; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < WORKERS; ++i) pthread_join(threads[i], NULL);
    int* block = calloc(4, sizeof *block);
    int result = 0;
#ifdef OLD_FAULT
    result += old_fault(block) * 0;
#endif
#ifdef NEW_FAULT
    new_fault(block);
#endif
#ifdef INLINED_FAULT
    result += inner_sum(block, 5) * 0;
#endif
    (void)old_fault;
    (void)new_fault;
    free(block);
#ifdef FAILS
    result = 3;
#endif
    return result;
}
