// SPDX-License-Identifier: GPL-2.0-or-later
// Two arrays of one structure have an element for each thread.
// EXPECT: FalseSharing tallies 'Put together what each thread has of tallies.counts and tallies.sums.*To change: tallies'
#include "../../include/workers.h"
#ifdef MENDED
static struct {
    LINE_ALIGNED volatile int count;
    volatile double sum;
} tallies[4];
#define COUNT(i) tallies[i].count
#define SUM(i) tallies[i].sum
#else
static LINE_ALIGNED struct {
    volatile int counts[4];
    volatile double sums[4];
} tallies;
#define COUNT(i) tallies.counts[i]
#define SUM(i) tallies.sums[i]
#endif

static void work(int index) {
    for (int i = 0; i < 10000; ++i) {
        COUNT(index) += i & 1;
        SUM(index) += i;
    }
}

int main(void) {
    run_together(4, work);
    return COUNT(2) == 5000 ? 0 : 1;
}
