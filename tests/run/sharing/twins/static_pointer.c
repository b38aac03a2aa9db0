// SPDX-License-Identifier: GPL-2.0-or-later
// A block that a static pointer holds.
// EXPECT: FalseSharing counts 'Pad each element of counts .8 bytes. to 64'
#include "../../include/workers.h"
#ifdef MENDED
enum { STEP = 8 };
#else
enum { STEP = 1 };
#endif
static volatile long* counts;

static void work(int index) {
    for (int i = 0; i < 1500; ++i) {
        volatile int other = 0;
        for (int n = 0; n < 8; ++n) other += n;
        counts[index * STEP] += i;
    }
}

int main(void) {
    counts = aligned_alloc(LINE, 4 * LINE);
    run_together(4, work);
    return 0;
}
