// SPDX-License-Identifier: GPL-2.0-or-later
// Transforms of mixed radix.
#include <gsl/gsl_fft_complex.h>
#include <stdlib.h>
int main(int c, char** v) {
    int n = v[1] ? atoi(v[1]) : 10000;
    double* a = malloc(16L * n);
    for (int i = 0; i < 2 * n; i++) a[i] = i % 17;
    gsl_fft_complex_wavetable* w = gsl_fft_complex_wavetable_alloc(n);
    gsl_fft_complex_workspace* s = gsl_fft_complex_workspace_alloc(n);
    for (int r = 0; r < 10; r++) {
        gsl_fft_complex_forward(a, 1, n, w, s);
        gsl_fft_complex_inverse(a, 1, n, w, s);
    }
    return a[0] > 1e9;
}
