// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: who stores to a neighbour of a word takes its line away from a thread that waits for the word: false sharing, with
// PROVES: or without a hint in the loop, one miss and one invalidation for a trip of the loop at most
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: HINT=1 COUNT=20000
// SET: HINT=0 COUNT=12000
// COUNTS: modelled flags misses=1000..COUNT+10 invalidations=1000..COUNT+10 true<=10
// SHARING: FalseSharing names="flags"
#include "workers.h"

static LINE_ALIGNED int flags[LINE / sizeof(int)];

static void work(int index) {
    if (index == 0) {
        while (__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE) == 0)
            if (HINT) PAUSE();
        return;
    }
    for (int i = 0; i < COUNT; ++i) INCREMENT(flags[5]);
    __atomic_store_n(&flags[0], 1, __ATOMIC_RELEASE);
}

int main(void) {
    run_threads(2, work);
    return 0;
}
