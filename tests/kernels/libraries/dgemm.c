// SPDX-License-Identifier: GPL-2.0-or-later
// The product of two matrices by a BLAS library.
#include <stdlib.h>
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*);
int main(int c, char** v) {
    int n = v[1] ? atoi(v[1]) : 256;
    double *a = malloc(8L * n * n), *b = malloc(8L * n * n), *d = calloc(n * n, 8), one = 1, z = 0;
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 7;
        b[i] = i % 11;
    }
    for (int r = 0; r < 2; r++) dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &z, d, &n);
    return d[3] < 0;
}
