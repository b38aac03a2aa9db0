// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has an element of an array.
// EXPECT: FalseSharing hits 'Pad each element of hits .8 bytes. to 64 and align the first to 64.*To change: hits'
#include "../../include/workers.h"
#ifdef MENDED
static struct { LINE_ALIGNED volatile long n; } hits[4];
#else
static LINE_ALIGNED struct { volatile long n; } hits[4];
#endif

static void work(int index) {
    for (int i = 0; i < 20000; ++i) hits[index].n++;
}

int main(void) {
    run_together(4, work);
    return hits[0].n == 20000 ? 0 : 1;
}
