// SPDX-License-Identifier: GPL-2.0-or-later
// Sixteen threads count in one table. To add up their copies takes half as long as what is left.
// EXPECT: FalseSharing table 'give each thread a copy of its own'
#include "../../include/workers.h"
#define THREADS 16
#define SIZE 512
#define ITEMS 3000
static unsigned table[SIZE] __attribute__((aligned(LINE)));
static unsigned own[THREADS][SIZE] __attribute__((aligned(LINE)));

static void work(int index) {
    unsigned state = 1 + (unsigned)index;
    for (int i = 0; i < ITEMS; ++i) {
        state = state * 1664525u + 1013904223u;
#ifdef MENDED
        ++own[index][state >> 23];
#else
        __atomic_fetch_add(&table[state >> 23], 1, __ATOMIC_RELAXED);
#endif
    }
}

int main(void) {
    run_together(THREADS, work);
#ifdef MENDED
    for (int thread = 0; thread < THREADS; ++thread)
        for (int i = 0; i < SIZE; ++i) table[i] += own[thread][i];
#endif
    return table[0] + own[0][0] == 0;
}
