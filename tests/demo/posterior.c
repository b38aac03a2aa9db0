// SPDX-License-Identifier: GPL-2.0-or-later
// Adds sparse matrices up in a dense one, and takes a cutoff off each place; the cutoff is 0 unless somebody sets it.
// With -DFIXED nothing is taken off then.
#include <stdio.h>
#include <stdlib.h>

enum { kSize = 120, kNonzero = 3, kMatrices = 12 };

__attribute__((noinline)) static void add(float *dense, const int *column, const float *value, float cutoff) {
    for (int i = 0; i < kSize; ++i) {
        float *row = dense + i * kSize;
        for (int k = 0; k < kNonzero; ++k)
            row[column[i * kNonzero + k]] += value[i * kNonzero + k];
#ifdef FIXED
        if (cutoff != 0)
#endif
        for (int j = 0; j < kSize; ++j)
            row[j] -= cutoff;
    }
}

int main(int argc, char **argv) {
    const int matrices = argc > 1 ? atoi(argv[1]) : kMatrices;
    const float cutoff = argc > 2 ? (float)atof(argv[2]) : 0;
    float *dense = calloc(kSize * kSize, sizeof *dense);
    int column[kSize * kNonzero];
    float value[kSize * kNonzero];
    for (int k = 0; k < kSize * kNonzero; ++k) {
        column[k] = k * 37 % kSize;
        value[k] = (float)(k % 9) / 8;
    }
    for (int m = 0; m < matrices; ++m)
        add(dense, column, value, cutoff);
    float sum = 0;
    for (int i = 0; i < kSize * kSize; ++i)
        sum += dense[i] * (float)(i % 5);
    printf("%g\n", sum);
    free(dense);
    return 0;
}
