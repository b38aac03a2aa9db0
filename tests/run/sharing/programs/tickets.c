// SPDX-License-Identifier: GPL-2.0-or-later
// Threads take numbers of pieces of work. Copies of the counter would not do: each number is taken once.
// EXPECT: TrueSharing next 'Several threads add to next: where the value that they get is used, let each take several at a time'
#include "../../include/workers.h"
static LINE_ALIGNED long next;
static char end[LINE] __attribute__((unused));
static volatile long sums[4][8] LINE_ALIGNED;
enum { PIECES = 40000 };
#ifdef MENDED
enum { AT_A_TIME = 1000 };
#else
enum { AT_A_TIME = 1 };
#endif

static void work(int index) {
    for (;;) {
        const long first = __atomic_fetch_add(&next, AT_A_TIME, __ATOMIC_RELAXED);
        if (first >= PIECES) return;
        for (long i = first; i < first + AT_A_TIME; ++i) sums[index][0] += i;
    }
}

int main(void) {
    run_together(4, work);
    return sums[0][0] + sums[1][0] + sums[2][0] + sums[3][0] == (long)PIECES * (PIECES - 1) / 2 ? 0 : 1;
}
