// SPDX-License-Identifier: GPL-2.0-or-later
// Threads have blocks of an array; they meet at the borders only.
// EXPECT: FalseSharing cells '.'
#include "../../include/workers.h"
#ifdef MENDED
enum { LENGTH = 64 };
#else
enum { LENGTH = 60 };
#endif
enum { OWN = 60, THREADS = 6 };
static LINE_ALIGNED volatile double cells[THREADS * 64];

static void work(int index) {
    for (int round = 0; round < 100; ++round)
        for (int i = 0; i < OWN; ++i) cells[index * LENGTH + i] += round;
}

int main(void) {
    run_together(THREADS, work);
    return cells[5] > 0 ? 0 : 1;
}
