// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: zeros in the dimensions of an array are found for a local variable as for a static one
// ARGS: --zeros=data --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O0 -O2
// SET: ROWS=40 COLUMNS=60 DEPTH=4
// ZEROS: object local:stripes advice=sparse:stripes
// ZEROS: object local:planes advice=sparse:planes
// ZEROS: object field advice=sparse:planes
#include "loads.h"

static double field[ROWS][COLUMNS][DEPTH];

int main(void) {
    double stripes[ROWS][COLUMNS], planes[ROWS][COLUMNS][DEPTH];
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLUMNS; ++c) {
            STORE(stripes[r][c], c == 9 ? r + 1 / 3.0 : 0);
            for (int d = 0; d < DEPTH; ++d) {
                STORE(planes[r][c][d], c == 7 ? d + 1 / 3.0 : 0);
                STORE(field[r][c][d], c == 7 ? d + 1 / 3.0 : 0);
            }
        }
    double sum = 0;
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLUMNS; ++c) {
            sum += LOAD(stripes[r][c]);
            for (int d = 0; d < DEPTH; ++d) sum += LOAD(planes[r][c][d]) + LOAD(field[r][c][d]);
        }
    USE(sum);
    return 0;
}
