// SPDX-License-Identifier: GPL-2.0-or-later
// Threads take numbers of pieces of work; mended, sixty-four at a time.
// EXPECT: TrueSharing next 'let each take several at a time'
#include "../../include/workers.h"
enum { PIECES = 102400 };
#ifdef MENDED
enum { AT_A_TIME = 64 };
#else
enum { AT_A_TIME = 1 };
#endif
static LINE_ALIGNED long next;
static LINE_ALIGNED volatile long sums[4][8];

static void work(int index) {
    for (;;) {
        const long first = __atomic_fetch_add(&next, AT_A_TIME, __ATOMIC_RELAXED);
        if (first >= PIECES) return;
        for (long i = first; i < first + AT_A_TIME; ++i) {
            pass_time(30);
            sums[index][0] += i;
        }
    }
}

int main(void) {
    run_together(4, work);
    return 0;
}
