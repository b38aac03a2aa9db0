// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sparse linear algebra by factors: L D L' of a matrix of a grid, column by column, its tree and pattern first, then
// solutions.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
    const int g = count > 1 ? atoi(arguments[1]) : 40, n = g * g;
    int *parent = malloc(sizeof(int) * n), *flag = malloc(sizeof(int) * n), *length = calloc(n, sizeof(int)),
        *first = malloc(sizeof(int) * (n + 1)), *pattern = malloc(sizeof(int) * n);
    const int offsets[2] = {-g, -1};
    for (int k = 0; k < n; ++k) {
        parent[k] = -1;
        flag[k] = k;
        for (int o = 0; o < 2; ++o) {
            int i = k + offsets[o];
            if (i < 0 || (o == 1 && k % g == 0)) continue;
            for (; flag[i] != k; i = parent[i]) {
                if (parent[i] < 0) parent[i] = k;
                ++length[i];
                flag[i] = k;
            }
        }
    }
    first[0] = 0;
    for (int k = 0; k < n; ++k) first[k + 1] = first[k] + length[k];
    int* row = malloc(sizeof(int) * first[n]);
    double *value = malloc(sizeof(double) * first[n]), *y = calloc(n, 8), *d = malloc(8 * n),
           *x = malloc(8 * n);
    for (int k = 0; k < n; ++k) {
        int top = n;
        length[k] = 0;
        flag[k] = k;
        for (int o = 0; o < 2; ++o) {
            int i = k + offsets[o], found = 0;
            if (i < 0 || (o == 1 && k % g == 0)) continue;
            y[i] += -1;
            for (; flag[i] != k; i = parent[i]) {
                pattern[found++] = i;
                flag[i] = k;
            }
            while (found > 0) pattern[--top] = pattern[--found];
        }
        d[k] = 4.5;
        for (; top < n; ++top) {
            const int i = pattern[top];
            const double yi = y[i], l = yi / d[i];
            y[i] = 0;
            int p = first[i];
            for (; p < first[i] + length[i]; ++p) y[row[p]] -= value[p] * yi;
            d[k] -= l * yi;
            row[p] = k;
            value[p] = l;
            ++length[i];
        }
    }
    for (int i = 0; i < n; ++i) x[i] = i % 7;
    for (int turn = 0; turn < 10; ++turn) {
        for (int j = 0; j < n; ++j)
            for (int p = first[j]; p < first[j + 1]; ++p) x[row[p]] -= value[p] * x[j];
        for (int j = 0; j < n; ++j) x[j] /= d[j];
        for (int j = n - 1; j >= 0; --j)
            for (int p = first[j]; p < first[j + 1]; ++p) x[j] -= value[p] * x[row[p]];
    }
    printf("%g\n", x[1]);
    return 0;
}
