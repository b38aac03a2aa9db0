// SPDX-License-Identifier: GPL-2.0-or-later
// Two arrays that eight threads use alike, each on a line of its own.
// EXPECT: FalseSharing - 'Pad each element of (energy|mass).*Pad each element of (energy|mass)' all together
#include "../../include/workers.h"
#ifdef MENDED
enum { STEP = 8 };
#else
enum { STEP = 1 };
#endif
static LINE_ALIGNED volatile double energy[8 * STEP];
static LINE_ALIGNED volatile double mass[8 * STEP];

static void work(int index) {
    for (int i = 0; i < 800; ++i) {
        volatile int other = 0;
        for (int n = 0; n < 8; ++n) other += n;
        energy[index * STEP] += i;
        mass[index * STEP] += 1;
    }
}

int main(void) {
    run_together(8, work);
    return 0;
}
