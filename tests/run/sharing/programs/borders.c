// SPDX-License-Identifier: GPL-2.0-or-later
// Threads have blocks of an array that meet inside lines.
// EXPECT: FalseSharing cells 'begin at a multiple of 64 bytes: a pitch of 1,024 bytes instead of 1,000'
#include "../../include/workers.h"
#ifdef MENDED
enum { LENGTH = 256 };
#else
enum { LENGTH = 250 };
#endif
static LINE_ALIGNED volatile int cells[4 * 256];

static void work(int index) {
    for (int round = 0; round < 400; ++round)
        for (int i = 0; i < 250; ++i) cells[index * LENGTH + (round % 2 == 0 ? i : 249 - i)] += round;
}

int main(void) {
    run_together(4, work);
    return cells[5] > 0 ? 0 : 1;
}
