// SPDX-License-Identifier: GPL-2.0-or-later
// Factors of a sparse matrix without symmetry, and solutions.
#include <stdlib.h>
#include <suitesparse/umfpack.h>
int main(int c, char** v) {
    int g = v[1] ? atoi(v[1]) : 40, n = g * g, k = 0;
    int *p = malloc(4 * (n + 1)), *ri = malloc(4 * 5 * n);
    double *x = malloc(8 * 5 * n), *b = malloc(8 * n), *u = malloc(8 * n);
    for (int j = 0; j < n; j++) {
        p[j] = k;
        int r = j / g, q = j % g;
        if (r > 0) {
            ri[k] = j - g;
            x[k++] = -1;
        }
        if (q > 0) {
            ri[k] = j - 1;
            x[k++] = -1.1;
        }
        ri[k] = j;
        x[k++] = 4.5;
        if (q < g - 1) {
            ri[k] = j + 1;
            x[k++] = -1;
        }
        if (r < g - 1) {
            ri[k] = j + g;
            x[k++] = -1.2;
        }
        b[j] = j % 7;
    }
    p[n] = k;
    void *S, *N;
    umfpack_di_symbolic(n, n, p, ri, x, &S, 0, 0);
    umfpack_di_numeric(p, ri, x, S, &N, 0, 0);
    for (int r = 0; r < 20; r++) umfpack_di_solve(UMFPACK_A, p, ri, x, u, b, N, 0, 0);
    return 0;
}
