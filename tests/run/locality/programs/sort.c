/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A sort of integers by buckets with OpenMP: each thread counts its part of the keys, then puts them where they belong.
 * docs/locality.md shows what memspy says of it. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 1 << 18, VALUES = 1 << 12, MOST_THREADS = 64 };
static unsigned *keys, *sorted;
static int (*counts)[VALUES];

static void make_keys(void) {
    unsigned random = 314159;
    for (int i = 0; i < KEYS; ++i) {
        random = random * 1664525 + 1013904223;
        keys[i] = (random >> 12) % VALUES;
    }
}

static void count(int thread, int begin, int end) {
    for (int i = begin; i < end; ++i) ++counts[thread][keys[i]];
}

static void add_up(int threads) {
    int before = 0;
    for (int value = 0; value < VALUES; ++value)
        for (int t = 0; t < threads; ++t) {
            const int own = counts[t][value];
            counts[t][value] = before;
            before += own;
        }
}

static void place(int thread, int begin, int end) {
    for (int i = begin; i < end; ++i) sorted[counts[thread][keys[i]]++] = keys[i];
}

int main(void) {
    keys = malloc(KEYS * sizeof *keys);
    sorted = malloc(KEYS * sizeof *sorted);
    counts = calloc(MOST_THREADS, sizeof *counts);
    make_keys();
#pragma omp parallel
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const int begin = (int)((long)KEYS * thread / threads), end = (int)((long)KEYS * (thread + 1) / threads);
        count(thread, begin, end);
#pragma omp barrier
#pragma omp single
        add_up(threads);
        place(thread, begin, end);
    }
    for (int i = 1; i < KEYS; ++i)
        if (sorted[i - 1] > sorted[i]) return 1;
    printf("sorted\n");
    return 0;
}
