// SPDX-License-Identifier: GPL-2.0-or-later
// All threads use one variable as the index of their loop.
// EXPECT: TrueSharing k 'private'
#include "../../include/workers.h"
#ifdef MENDED
static __thread volatile long k;
#else
static LINE_ALIGNED volatile long k;
#endif
static LINE_ALIGNED volatile long sums[4][8];

static void work(int index) {
    for (int i = 0; i < 1500; ++i) {
        k = i;
        volatile int other = 0;
        for (int n = 0; n < 8; ++n) other += n;
        sums[index][0] += k;
    }
}

int main(void) {
    run_together(4, work);
    return sums[0][0] != 0 ? 0 : 1;
}
