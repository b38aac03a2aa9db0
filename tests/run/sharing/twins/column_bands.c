// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has a band of columns of a grid, so bands meet inside lines of each row.
// EXPECT: FalseSharing grid 'begin at a multiple of 64'
#include "../../include/workers.h"
#ifdef MENDED
enum { PITCH = 128, BAND = 32 };
#else
enum { PITCH = 100, BAND = 25 };
#endif
enum { ROWS = 64, WIDTH = 25, THREADS = 4 };
static LINE_ALIGNED double grid[ROWS][PITCH];
static pthread_barrier_t all;

static void work(int index) {
    for (int sweep = 0; sweep < 40; ++sweep) {
        for (int i = 0; i < ROWS; ++i)
            for (int j = 0; j < WIDTH; ++j) grid[i][index * BAND + j] = grid[i][index * BAND + j] * 0.5 + sweep;
        pthread_barrier_wait(&all);
    }
}

int main(void) {
    pthread_barrier_init(&all, NULL, THREADS);
    run_together(THREADS, work);
    return grid[5][3] > 0 ? 0 : 1;
}
