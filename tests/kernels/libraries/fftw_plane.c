// SPDX-License-Identifier: GPL-2.0-or-later
// Real transforms of a plane and back, single precision.
#include <fftw3.h>
#include <stdlib.h>
int main(int c, char** v) {
    int n = v[1] ? atoi(v[1]) : 128;
    float* a = fftwf_malloc(4L * n * n);
    fftwf_complex* b = fftwf_malloc(8L * n * n);
    fftwf_plan p = fftwf_plan_dft_r2c_2d(n, n, a, b, FFTW_ESTIMATE),
               q = fftwf_plan_dft_c2r_2d(n, n, b, a, FFTW_ESTIMATE);
    for (int i = 0; i < n * n; i++) a[i] = i % 17;
    for (int r = 0; r < 15; r++) {
        fftwf_execute(p);
        fftwf_execute(q);
        for (int i = 0; i < n * n; i++) a[i] /= n * n;
    }
    return a[0] > 1e6;
}
