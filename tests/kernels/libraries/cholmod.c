// SPDX-License-Identifier: GPL-2.0-or-later
// Sparse Cholesky factors, simplicial, and solutions.
#include <stdlib.h>
#include <suitesparse/cholmod.h>
int main(int c, char** v) {
    int g = v[1] ? atoi(v[1]) : 60, n = g * g;
    cholmod_common m;
    cholmod_start(&m);
    cholmod_triplet* T = cholmod_allocate_triplet(n, n, 3 * n, -1, CHOLMOD_REAL, &m);
    int *I = T->i, *J = T->j, k = 0;
    double* X = T->x;
    for (int j = 0; j < n; j++) {
        int r = j / g, q = j % g;
        I[k] = j;
        J[k] = j;
        X[k++] = 4.5;
        if (q < g - 1) {
            I[k] = j + 1;
            J[k] = j;
            X[k++] = -1;
        }
        if (r < g - 1) {
            I[k] = j + g;
            J[k] = j;
            X[k++] = -1;
        }
    }
    T->nnz = k;
    cholmod_sparse* A = cholmod_triplet_to_sparse(T, k, &m);
    double one[2] = {1, 0}, z[2] = {0, 0};
    cholmod_dense *x = cholmod_ones(n, 1, CHOLMOD_REAL, &m), *y = cholmod_zeros(n, 1, CHOLMOD_REAL, &m);
    m.supernodal = CHOLMOD_SIMPLICIAL;
    cholmod_factor* L = cholmod_analyze(A, &m);
    cholmod_factorize(A, L, &m);
    for (int r = 0; r < 20; r++) {
        cholmod_dense* s = cholmod_solve(CHOLMOD_A, L, x, &m);
        cholmod_sdmult(A, 0, one, z, s, y, &m);
        cholmod_free_dense(&s, &m);
    }
    return 0;
}
