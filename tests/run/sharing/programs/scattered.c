// SPDX-License-Identifier: GPL-2.0-or-later
// Threads write flags of an array that are dealt out at random: the finding says where, and no more.
// EXPECT: FalseSharing flags 'Threads meet within lines of flags, at no regular distance: work .*scattered.c:[0-9]+.$'
#include "../../include/workers.h"
enum { FLAGS = 4096 };
static LINE_ALIGNED volatile char flags[FLAGS];
static LINE_ALIGNED short order[FLAGS];

static void work(int index) {
    for (int round = 0; round < 8; ++round)
        for (int i = 0; i < FLAGS / 4; ++i) {
#ifdef MENDED
            flags[index * (FLAGS / 4) + i]++;
#else
            flags[order[index * (FLAGS / 4) + i]]++;
#endif
        }
}

int main(void) {
    unsigned state = 7;
    for (int i = 0; i < FLAGS; ++i) order[i] = (short)i;
    for (int i = FLAGS - 1; i > 0; --i) {
        state = state * 1664525u + 1013904223u;
        const int other = (int)((state >> 8) % (unsigned)(i + 1));
        const short kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    run_together(4, work);
    return flags[0] == 8 ? 0 : 1;
}
