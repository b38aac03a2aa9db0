// SPDX-License-Identifier: GPL-2.0-or-later
// The states of random number generators stand in an array.
// EXPECT: FalseSharing seeds 'Pad each element of seeds .4 bytes. to 64'
#include "../../include/workers.h"
#ifdef MENDED
enum { STEP = 16 };
#else
enum { STEP = 1 };
#endif
static LINE_ALIGNED unsigned seeds[6 * STEP];
static LINE_ALIGNED volatile long inside[6][8];

static void work(int index) {
    for (int i = 0; i < 800; ++i) {
        const long x = rand_r(&seeds[index * STEP]) % 1000;
        inside[index][0] += x < 500;
    }
}

int main(void) {
    run_together(6, work);
    return 0;
}
