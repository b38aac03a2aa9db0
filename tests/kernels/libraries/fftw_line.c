// SPDX-License-Identifier: GPL-2.0-or-later
// Complex transforms of one line.
#include <fftw3.h>
#include <stdlib.h>
int main(int c, char** v) {
    int n = v[1] ? atoi(v[1]) : 16384;
    fftw_complex *a = fftw_malloc(16L * n), *b = fftw_malloc(16L * n);
    fftw_plan p = fftw_plan_dft_1d(n, a, b, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < n; i++) {
        a[i][0] = i % 17;
        a[i][1] = i % 5;
    }
    for (int r = 0; r < 20; r++) fftw_execute(p);
    return b[0][0] < 0;
}
