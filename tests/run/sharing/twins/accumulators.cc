// SPDX-License-Identifier: GPL-2.0-or-later
// Threads add up in rows of a matrix of results.
// EXPECT: FalseSharing results '.'
#include "../../include/workers.h"
enum { THREADS = 8, SUMS = 3 };
#ifdef MENDED
enum { PITCH = 8 };
#else
enum { PITCH = SUMS };
#endif
static LINE_ALIGNED volatile double results[THREADS][PITCH];

static void work(int index) {
    for (int i = 0; i < 1500; ++i)
        for (int k = 0; k < SUMS; ++k) results[index][k] = results[index][k] + i * k;
}

int main() {
    run_together(THREADS, work);
    return results[1][1] > 0 ? 0 : 1;
}
