// SPDX-License-Identifier: GPL-2.0-or-later
// The same on the heap, where rows are found by a pitch, without a barrier, with 8 threads.
// EXPECT: FalseSharing main 'begin at a multiple of 64'
#include <stdlib.h>
#include "../../include/workers.h"
#ifdef MENDED
enum { PITCH = 128, BAND = 16 };
#else
enum { PITCH = 104, BAND = 13 };
#endif
enum { ROWS = 48, WIDTH = 13, THREADS = 8 };
static double* grid;
static volatile int pitch = PITCH, band = BAND;

static void work(int index) {
    const int pitch_ = pitch, mine = index * band;
    for (int sweep = 0; sweep < 40; ++sweep)
        for (int i = 0; i < ROWS; ++i)
            for (int j = 0; j < WIDTH; ++j) grid[i * pitch_ + mine + j] += sweep;
}

int main(void) {
    grid = aligned_alloc(64, sizeof(double) * ROWS * 128);
    for (int i = 0; i < ROWS * 128; ++i) grid[i] = 0;
    run_together(THREADS, work);
    const double first = grid[3];
    free(grid);
    return first > 0 ? 0 : 1;
}
