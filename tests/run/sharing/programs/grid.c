// SPDX-License-Identifier: GPL-2.0-or-later
// Threads have blocks of rows of a grid, and leave its border alone. Blocks meet inside lines.
// EXPECT: FalseSharing grid 'Let each row of grid, or each thread.s part, begin at a multiple of 64 bytes: .*To change: grid .grid.c:[0-9]+.'
#include "../../include/workers.h"
enum { ROWS = 42, COLUMNS = 37 };
#ifdef MENDED
enum { PITCH = 48 };
#else
enum { PITCH = COLUMNS };
#endif
static LINE_ALIGNED volatile int grid[ROWS * PITCH];
static volatile int pitch = PITCH;  // the same code for both

static void work(int index) {
    for (int round = 0; round < 300; ++round)
        for (int i = 0; i < 10; ++i) {
            volatile int* const row = grid + (1 + 10 * index + (round % 2 == 0 ? i : 9 - i)) * pitch;
            for (int column = 1; column < COLUMNS - 1; ++column) row[column] += round;
        }
}

int main(void) {
    run_together(4, work);
    return grid[5 * PITCH + 5] > 0 ? 0 : 1;
}
