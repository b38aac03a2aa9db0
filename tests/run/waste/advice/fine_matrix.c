// SPDX-License-Identifier: GPL-2.0-or-later
// Efficient: a product of matrices, row by row.
#include <stdio.h>
#include <string.h>

enum { kN = 80 };
static double a[kN][kN], b[kN][kN], c[kN][kN];

int main(void) {
    for (int i = 0; i < kN; ++i)
        for (int j = 0; j < kN; ++j) {
            a[i][j] = i + j;
            b[i][j] = i - j;
        }
    for (int i = 0; i < kN; ++i)
        for (int k = 0; k < kN; ++k) {
            const double factor = a[i][k];
            for (int j = 0; j < kN; ++j)
                c[i][j] += factor * b[k][j];
        }
    printf("%g\n", c[7][9]);
    return 0;
}
