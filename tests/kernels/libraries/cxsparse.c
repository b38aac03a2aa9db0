// SPDX-License-Identifier: GPL-2.0-or-later
// Sparse Cholesky factors, and solutions.
#include <stdlib.h>
#include <suitesparse/cs.h>
int main(int c, char** v) {
    int g = v[1] ? atoi(v[1]) : 60, n = g * g;
    cs* T = cs_spalloc(n, n, 5 * n, 1, 1);
    for (int j = 0; j < n; j++) {
        int r = j / g, q = j % g;
        cs_entry(T, j, j, 4.5);
        if (r > 0) cs_entry(T, j - g, j, -1);
        if (q > 0) cs_entry(T, j - 1, j, -1);
        if (q < g - 1) cs_entry(T, j + 1, j, -1);
        if (r < g - 1) cs_entry(T, j + g, j, -1);
    }
    cs* A = cs_compress(T);
    double* b = malloc(8 * n);
    for (int i = 0; i < n; i++) b[i] = i % 7;
    css* S = cs_schol(1, A);
    csn* N = cs_chol(A, S);
    double* x = malloc(8 * n);
    for (int r = 0; r < 20; r++) {
        cs_ipvec(S->pinv, b, x, n);
        cs_lsolve(N->L, x);
        cs_ltsolve(N->L, x);
        cs_pvec(S->pinv, x, b, n);
        for (int k = 0; k < n; k++) b[k] *= .9;
    }
    return 0;
}
