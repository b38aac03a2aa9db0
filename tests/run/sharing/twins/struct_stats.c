// SPDX-License-Identifier: GPL-2.0-or-later
// An array of structures, one for each thread, with members of several sizes.
// EXPECT: FalseSharing stats '.'
#include "../../include/workers.h"
enum { THREADS = 6 };
struct stats {
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long sum;
    volatile int count;
    volatile short worst;
};
static LINE_ALIGNED struct stats stats[THREADS];

static void work(int index) {
    for (int i = 0; i < 3000; ++i) {
        stats[index].sum += i;
        stats[index].count++;
        if (i % 7 == 0) stats[index].worst = (short)i;
    }
}

int main(void) {
    run_together(THREADS, work);
    return stats[0].count == 3000 ? 0 : 1;
}
