// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the extension shows: an inner loop's variable is shared by mistake.
#include <stdio.h>

static double table[64][64];
static int column;

int main(void) {
    int row;
#pragma omp parallel for num_threads(4)
    for (row = 0; row < 64; row++)
        for (int again = 0; again < 20; again++)
            for (column = 0; column < 64; column++) table[row][column] += row;
    printf("%g\n", table[1][1]);
    return 0;
}
