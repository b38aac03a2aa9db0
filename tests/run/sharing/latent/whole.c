// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each thread fills an element of 64 bytes, in a block that malloc happened to begin MOVED bytes into a line; with
// ALIGNED, in one that begins with a line. APART: bytes that lie unused behind each element.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 4
#endif
#ifndef APART
#define APART 0
#endif
#define SIZE (THREADS * (64 + APART))

static char *elements;

static void *fill(void *number) {
    volatile long *const mine = (volatile long *)(elements + (intptr_t)number * (64 + APART));
    for (int i = 0; i < 10000; ++i)
        for (int k = 0; k < 8; ++k) mine[k] += i;
    return NULL;
}

int main(void) {
#ifdef ALIGNED
    elements = aligned_alloc(128, (SIZE + 127) / 128 * 128);
#else
    do elements = malloc(SIZE + 16);
    while ((uintptr_t)elements % 64 != MOVED);
#endif
    for (int i = 0; i < SIZE; ++i) elements[i] = 0;
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, fill, (void *)i);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    return 0;
}
