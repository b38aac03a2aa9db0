// SPDX-License-Identifier: GPL-2.0-or-later
// The LU factors of a matrix by a LAPACK library.
#include <stdlib.h>
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
int main(int c, char** v) {
    int n = v[1] ? atoi(v[1]) : 384, info;
    double* a = malloc(8L * n * n);
    int* p = malloc(4 * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] = i == j ? n : 1.0 / (1 + abs(i - 2 * j));
    dgetrf_(&n, &n, a, &n, p, &info);
    return info;
}
