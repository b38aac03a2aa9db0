// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has a band of rows, which begin inside lines.
// EXPECT: FalseSharing field '.'
#include "../../include/workers.h"
#ifdef MENDED
enum { PITCH = 32 };
#else
enum { PITCH = 25 };
#endif
enum { ROWS = 32, COLUMNS = 25, THREADS = 8, BAND = ROWS / THREADS };
static LINE_ALIGNED float field[ROWS][PITCH];

static void work(int index) {
    for (int sweep = 0; sweep < 200; ++sweep)
        for (int i = index * BAND; i < (index + 1) * BAND; ++i)
            for (int j = 0; j < COLUMNS; ++j) field[i][j] = field[i][j] * 0.5f + 1;
}

int main(void) {
    run_together(THREADS, work);
    return field[1][1] > 0 ? 0 : 1;
}
