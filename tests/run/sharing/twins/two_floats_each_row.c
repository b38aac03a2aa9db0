// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has two floats in each row of a table.
// EXPECT: FalseSharing table '.'
#include "../../include/workers.h"
enum { ROWS = 20, THREADS = 4, OWN = 2 };
#ifdef MENDED
enum { SLOT = 16 };
#else
enum { SLOT = OWN };
#endif
static LINE_ALIGNED volatile float table[ROWS][THREADS * SLOT];

static void work(int index) {
    for (int round = 0; round < 150; ++round)
        for (int row = 0; row < ROWS; ++row)
            for (int k = 0; k < OWN; ++k) table[row][index * SLOT + k] += 1;
}

int main(void) {
    run_together(THREADS, work);
    return table[2][1] > 0 ? 0 : 1;
}
