// SPDX-License-Identifier: GPL-2.0-or-later
// Settings that all threads read stand beside a counter that one writes.
// EXPECT: FalseSharing state 'Separate what is written .state.done. from what is only read'
#include "../../include/workers.h"
static LINE_ALIGNED struct {
    volatile long step, limit;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long done;
} state = {3, 5000, 0};
static volatile long sums[4][8] LINE_ALIGNED;

static void work(int index) {
    for (long i = 0; i < state.limit; ++i)
        if (index == 0)
            for (int k = 0; k < 10; ++k) state.done++;
        else
            for (int k = 0; k < 10; ++k) sums[index][0] += state.step;
}

int main(void) {
    run_together(4, work);
    return state.done == 50000 ? 0 : 1;
}
