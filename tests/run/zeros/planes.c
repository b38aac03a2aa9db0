// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: in a dense matrix with nine tenths zero planes, the planes are found, with the advice to skip them
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: PLANES=40 ROWS=24 COLUMNS=16
// ZEROS: object field accessed=8*PLANES*ROWS*COLUMNS stride=8*ROWS*COLUMNS rows=PLANES zerorows=PLANES*9/10 advice=sparse
// ZEROS: object field accessed8=PLANES*ROWS*COLUMNS zero8=PLANES*ROWS*COLUMNS*9/10 accessed64=PLANES*ROWS*2 zero64=PLANES*ROWS*2*9/10
// ZEROS: row load type=float loads=PLANES*ROWS*COLUMNS zero=PLANES*ROWS*COLUMNS*9/10 advice=skip
#include "loads.h"

static double field[PLANES][ROWS][COLUMNS];

int main(void) {
    for (int p = 3; p < PLANES; p += 10)
        for (int r = 0; r < ROWS; ++r)
            for (int c = 0; c < COLUMNS; ++c) field[p][r][c] = 1.0 / (p + r + c + 1);
    double sum = 0;
    for (int p = 0; p < PLANES; ++p)
        for (int r = 0; r < ROWS; ++r)
            for (int c = 0; c < COLUMNS; ++c) sum += LOAD(field[p][r][c]); /* label: load */
    USE(sum);
    return 0;
}
