// SPDX-License-Identifier: GPL-2.0-or-later
// A thread for each structure of an array, and one that looks at a member of all of them.
// EXPECT: FalseSharing stats '.'
#include "../../include/workers.h"
enum { THREADS = 5 };
struct stats {
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long sum;
    volatile long done;
};
static LINE_ALIGNED struct stats stats[THREADS];

static void work(int index) {
    long seen = 0;
    for (int i = 0; i < 2000; ++i) {
        if (index == 0) {
            for (int k = 1; k < THREADS; ++k) seen += stats[k].done;
            volatile int other = 0;
            for (int k = 0; k < 40; ++k) other += k;
            continue;
        }
        for (int k = 0; k < 10; ++k) stats[index].sum += k;
        if (i % 4 == 0) stats[index].done++;
    }
    stats[index].sum += seen;
}

int main(void) {
    run_together(THREADS, work);
    return stats[1].done == 500 ? 0 : 1;
}
