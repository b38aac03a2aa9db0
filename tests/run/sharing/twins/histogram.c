// SPDX-License-Identifier: GPL-2.0-or-later
// All threads add to the elements of one table.
// EXPECT: - bins 'parts of|copy|table'
#include "../../include/workers.h"
enum { BINS = 16, THREADS = 4 };
static LINE_ALIGNED volatile int bins[THREADS][BINS];

#ifdef MENDED
static volatile int copies = 1;
#else
static volatile int copies = 0;
#endif

static void work(int index) {
    const int mine = index * copies;
    unsigned random = (unsigned)index * 77 + 1;
    for (int i = 0; i < 4000; ++i) {
        random = random * 1103515245u + 12345u;
        bins[mine][random >> 16 & (BINS - 1)] += 1;
    }
}

int main(void) {
    run_together(THREADS, work);
    for (int i = 1; i < THREADS * copies; ++i)
        for (int k = 0; k < BINS; ++k) bins[0][k] += bins[i][k];
    return bins[0][1] > 0 ? 0 : 1;
}
