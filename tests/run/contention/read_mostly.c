// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a line that one thread writes now and then costs each reader a miss per write, and the writer an invalidation
// COMPILE: gcc -O0 -O2 -pthread
// SET: READERS=3 WRITES=100 GAP=400
// SET: READERS=5 WRITES=40 GAP=900
// SET: READERS=2 WRITES=333 GAP=150
// ALSO: --interleave=100
// ALSO: --interleave=1000
// COUNTS: modelled table misses=READERS*WRITES~READERS+3 invalidations=WRITES~2 true=(READERS+1)*WRITES~READERS+3
// COUNTS: observed table events<=160 when=!--interleave
// COUNTS: observed table misses<=READERS*WRITES+READERS+3 invalidations<=WRITES
// SHARING: TrueSharing names="table" maybe=yes
#include "workers.h"

static LINE_ALIGNED int table[LINE / sizeof(int)];

static void work(int index) {
    if (index == 0) {
        for (int i = 0; i < WRITES; ++i) {
            pass_time(GAP);
            STORE(table[3], i);
        }
        return;
    }
    // Twice as long as the writer.
    for (int i = 0; i < 2 * WRITES * GAP / 10; ++i) {
        pass_time(10);
        (void)LOAD(table[3]);
    }
}

int main(void) {
    run_together(READERS + 1, work);
    return 0;
}
