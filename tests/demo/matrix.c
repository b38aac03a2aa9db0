/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A matrix with numbers in one row of eight, summed twice: along its rows, in the order of memory, and down its
 * columns, with another cache line for each number.
 */
#include <stdio.h>
#include <stdlib.h>

enum { kSize = 400 };

__attribute__((noinline)) static double along_rows(double (*matrix)[kSize]) {
    double sum = 0;
    for (int i = 0; i < kSize; i++)
        for (int j = 0; j < kSize; j++)
            sum += matrix[i][j];
    return sum;
}

__attribute__((noinline)) static double down_columns(double (*matrix)[kSize]) {
    double sum = 0;
    for (int j = 0; j < kSize; j++)
        for (int i = 0; i < kSize; i++)
            sum += matrix[i][j];
    return sum;
}

int main(void) {
    double(*matrix)[kSize] = calloc(kSize, sizeof *matrix);
    for (int i = 0; i < kSize; i += 8)
        for (int j = 0; j < kSize; j++)
            matrix[i][j] = i + 1.0 / (j + 1);
    printf("%g\n", along_rows(matrix) - down_columns(matrix));
    free(matrix);
    return 0;
}
