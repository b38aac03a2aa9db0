// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of an array, each with its thread, which now and then reads the neighbours' cells at the borders.
// EXPECT: - cells '.'
#include "../../include/workers.h"
#ifdef MENDED
static volatile int length = 32;
#else
static volatile int length = 28;
#endif
enum { OWN = 28, THREADS = 4 };
static LINE_ALIGNED volatile double cells[THREADS * 32];
static pthread_barrier_t all;

static void work(int index) {
    const int apart = length;
    const int left = (index + THREADS - 1) % THREADS, right = (index + 1) % THREADS;
    for (int round = 0; round < 300; ++round) {
        double edges = 1;
        if (round % 8 == 0) edges = cells[left * apart + OWN - 1] + cells[right * apart];
        for (int i = 0; i < OWN; ++i) cells[index * apart + i] = cells[index * apart + i] * 0.5 + edges;
        if (round % 50 == 0) pthread_barrier_wait(&all);
    }
}

int main(void) {
    pthread_barrier_init(&all, NULL, THREADS);
    run_together(THREADS, work);
    return cells[5] >= 0 ? 0 : 1;
}
