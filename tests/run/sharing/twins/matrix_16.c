// SPDX-License-Identifier: GPL-2.0-or-later
// Sixteen threads add up in two columns each of one row for each phase.
// EXPECT: FalseSharing sums '.'
#include "../../include/workers.h"
enum { THREADS = 16, OWN = 2 };
#ifdef MENDED
enum { SLOT = 8 };
#else
enum { SLOT = OWN };
#endif
static LINE_ALIGNED volatile double sums[3][THREADS][SLOT];

static void work(int index) {
    for (int phase = 0; phase < 3; ++phase)
        for (int i = 0; i < 400; ++i) {
            sums[phase][index][0] += i;
            sums[phase][index][1] += 1;
        }
}

int main(void) {
    run_together(THREADS, work);
    return sums[1][1][1] == 400 ? 0 : 1;
}
