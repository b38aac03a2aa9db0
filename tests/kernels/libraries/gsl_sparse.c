// SPDX-License-Identifier: GPL-2.0-or-later
// Products of a sparse matrix of random pattern.
#include <gsl/gsl_spblas.h>
#include <gsl/gsl_splinalg.h>
#include <stdlib.h>
int main(void) {
    int n = 1500;
    gsl_spmatrix* A = gsl_spmatrix_alloc(n, n);
    srand(3);
    for (int i = 0; i < n; i++) {
        gsl_spmatrix_set(A, i, i, 12);
        for (int k = 0; k < 10; k++) gsl_spmatrix_set(A, i, rand() % n, -1);
    }
    gsl_spmatrix* C = gsl_spmatrix_ccs(A);
    gsl_vector *f = gsl_vector_alloc(n), *u = gsl_vector_calloc(n);
    for (int i = 0; i < n; i++) gsl_vector_set(f, i, i % 9);
    for (int r = 0; r < 200; r++) {
        gsl_spblas_dgemv(CblasNoTrans, 1.0, C, f, 0.5, u);
        gsl_vector_scale(u, 0.05);
        gsl_vector_memcpy(f, u);
    }
    return 0;
}
