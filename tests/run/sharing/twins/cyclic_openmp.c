// SPDX-License-Identifier: GPL-2.0-or-later
// A loop is dealt out one iteration at a time, so neighbours in a line are different threads'.
// EXPECT: FalseSharing y 'Deal out' openmp
#include "../../include/workers.h"
#ifdef MENDED
enum { CHUNK = 8 };
#else
enum { CHUNK = 1 };
#endif
enum { N = 512 };
static LINE_ALIGNED double x[N], y[N];

int main(void) {
#pragma omp parallel num_threads(4)
    for (int round = 0; round < 20; ++round) {
#pragma omp for schedule(static, CHUNK)
        for (int i = 0; i < N; ++i) {
            double v = y[i];
            for (int k = 0; k < 4; ++k) {
                v = v * 0.5 + x[i];
                *(volatile double*)&y[i] = v;
            }
        }
    }
    return y[3] >= 0 ? 0 : 1;
}
