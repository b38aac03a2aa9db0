// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread writes a variable before it reads it: it should be the thread's own (OpenMP's private).
// EXPECT: TrueSharing scratch 'Make scratch private: each thread writes it before it reads it.*removes'
#include "../../include/workers.h"
#ifdef MENDED
static __thread volatile long scratch;
#else
static LINE_ALIGNED volatile long scratch;
#endif
static volatile long sums[4][8] LINE_ALIGNED;

static void work(int index) {
    for (int i = 0; i < 10000; ++i) {
        scratch = i;
        sums[index][0] += scratch;
    }
}

int main(void) {
    run_together(4, work);
    return sums[1][0] > 0 ? 0 : 1;
}
