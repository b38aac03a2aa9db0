// SPDX-License-Identifier: GPL-2.0-or-later
// A temporary is shared, because nobody wrote private(t).
// EXPECT: TrueSharing 't of main' 'Make t of main private.*private.t.' openmp
#include "../../include/workers.h"
enum { N = 4000 };
static LINE_ALIGNED volatile double out[4][8];

int main(void) {
    volatile double t = 0;
#ifdef MENDED
#pragma omp parallel for num_threads(4) private(t)
#else
#pragma omp parallel for num_threads(4)
#endif
    for (int i = 0; i < N; ++i) {
        t = i * 0.5;
        volatile int other = 0;
        for (int n = 0; n < 8; ++n) other += n;
        out[i / 1000][0] += t;
    }
    return out[1][0] > 0 ? 0 : 1;
}
