// SPDX-License-Identifier: GPL-2.0-or-later
// All threads add to the elements of one table.
// EXPECT: FalseSharing counts 'Several threads add to the same parts of counts: give each thread a copy of its own.*To change: counts'
#include "../../include/workers.h"
enum { KINDS = 256 };
#ifdef MENDED
static LINE_ALIGNED volatile int counts[4][KINDS];
#else
static LINE_ALIGNED volatile int counts[1][KINDS];
#endif

static void work(int index) {
#ifdef MENDED
    volatile int* own = counts[index];
#else
    volatile int* own = counts[0];
#endif
    unsigned state = 1u + (unsigned)index;
    for (int i = 0; i < 20000; ++i) {
        state = state * 1664525u + 1013904223u;
        own[state >> 24]++;
    }
}

int main(void) {
    run_together(4, work);
#ifdef MENDED
    for (int kind = 0; kind < KINDS; ++kind)
        for (int copy = 1; copy < 4; ++copy) counts[0][kind] += counts[copy][kind];
#endif
    return counts[0][1] > 0 ? 0 : 1;
}
