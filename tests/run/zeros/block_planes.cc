// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: planes of zeros are found in the dimensions that the type declares, whatever has the array: std::array, a
//   block whose variable points to arrays, one that a global variable holds, a vector of arrays; and in a vector of
//   vectors by its rows, some of which are never loaded
// ARGS: --zeros=data --contention=no --zeros-threshold=0
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: ROWS=16 COLUMNS=30
// ZEROS: object held accessed=8*ROWS*COLUMNS advice=sparse:stripes advice=!narrow
// ZEROS: object heap:own accessed=8*ROWS*COLUMNS advice=sparse:stripes advice=!narrow
// ZEROS: object heap:global accessed=8*ROWS*COLUMNS advice=sparse:stripes advice=!narrow
// ZEROS: object heap:both accessed=8*ROWS*COLUMNS advice=sparse:stripes advice=!narrow
// ZEROS: object heap:rows blocks=ROWS accessed=8*(ROWS-2)*COLUMNS stride=8*COLUMNS rows=ROWS-2 zerorows=ROWS-2-ROWS/4 advice=sparse:rows
#include <array>
#include <vector>

#include "loads.h"

static std::array<std::array<double, COLUMNS>, ROWS> held;
static double (*global)[COLUMNS];

static double sum(const double* data, int count) {
    double s = 0;
    for (int i = 0; i < count; ++i) s += LOAD(data[i]);
    return s;
}

int main() {
    double(*own)[COLUMNS] = (double(*)[COLUMNS])malloc(sizeof(double[ROWS][COLUMNS])); /* label: own */
    global = (double(*)[COLUMNS])malloc(sizeof(double[ROWS][COLUMNS]));                /* label: global */
    std::vector<std::array<double, COLUMNS>> both(ROWS);                               /* label: both */
    std::vector<double*> rows;
    for (int r = 0; r < ROWS; ++r) {
        double* const row = new double[COLUMNS](); /* label: rows */
        rows.push_back(row);
    }
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLUMNS; ++c) {
            held[r][c] = own[r][c] = global[r][c] = both[r][c] = c % 5 == 2 ? 1.0 / (r + c + 1) : 0;
            rows[r][c] = r % 4 == 1 ? 1.0 / (c + 3) : 0;
        }
    double s = sum(&held[0][0], ROWS * COLUMNS) + sum(&own[0][0], ROWS * COLUMNS);
    s += sum(&global[0][0], ROWS * COLUMNS) + sum(&both[0][0], ROWS * COLUMNS);
    for (int r = 1; r < ROWS - 1; ++r) s += sum(rows[r], COLUMNS);
    USE(s > 0);
    for (double* row : rows) delete[] row;
    free(own);
    free(global);
    return 0;
}
