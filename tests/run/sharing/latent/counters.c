// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each thread counts in an element of its own, STRIDE bytes from the next. WHERE: the heap, the heap with an alignment, a
// static array, one inside a structure, main's stack, each thread's own storage. MOVED: the heap's elements begin so many bytes
// into a line; the others begin with one.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define HEAP 0
#define ALIGNED 1
#define STATIC 2
#define MEMBER 3
#define STACK 4
#define OWN 5

#ifndef THREADS
#define THREADS 4
#endif
#ifndef ROUNDS
#define ROUNDS 40000
#endif
#ifndef WORK
#define WORK 4
#endif
#ifndef MOVED
#define MOVED 0
#endif

static char *elements;
#if WHERE == STATIC
static _Alignas(256) char counters[THREADS * STRIDE];
#elif WHERE == MEMBER
static struct {
    _Alignas(256) long settings[8];
    char each[THREADS * STRIDE];
} state;
#elif WHERE == OWN
static _Thread_local long own[STRIDE / sizeof(long)];
#endif

static void *count(void *number) {
    volatile long *mine;
#if WHERE == OWN
    mine = own;
    (void)number;
#else
    mine = (volatile long *)(elements + (intptr_t)number * STRIDE);
#endif
    unsigned long value = 1;
    for (int i = 0; i < ROUNDS; ++i) {
        for (int k = 0; k < WORK; ++k) value = value * 6364136223846793005u + 1;
        *mine += (long)(value >> 40);
    }
    return NULL;
}

int main(void) {
#if WHERE == HEAP
    char *const block = malloc(THREADS * STRIDE + 512);
    elements = (char *)(((uintptr_t)block + 255) & ~(uintptr_t)255) + MOVED;
#elif WHERE == ALIGNED
    elements = aligned_alloc(256, (THREADS * STRIDE + 255) & ~(size_t)255);
#elif WHERE == STATIC
    elements = counters;
#elif WHERE == MEMBER
    elements = state.each;
#elif WHERE == STACK
    _Alignas(256) char local[THREADS * STRIDE];
    elements = local;
#endif
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, count, (void *)i);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    return 0;
}
