// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of a matrix begin inside lines, and each thread works on every fourth row.
// EXPECT: FalseSharing matrix 'Let each row of matrix, or each thread.s part, begin at a multiple of 64 bytes: a pitch of 128 bytes instead of 80 .16 elements of 8 bytes.*To change: matrix .rows.c:[0-9]+'
#include "../../include/workers.h"
enum { ROWS = 64, COLUMNS = 10 };
#ifdef MENDED
enum { PITCH = 16 };
#else
enum { PITCH = COLUMNS };
#endif
static LINE_ALIGNED volatile double matrix[ROWS][PITCH];

static void work(int index) {
    for (int round = 0; round < 100; ++round)
        for (int row = index; row < ROWS; row += 4)
            for (int column = 0; column < COLUMNS; ++column) matrix[row][column] += row;
}

int main(void) {
    run_together(4, work);
    return matrix[1][1] > 0 ? 0 : 1;
}
