// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a slot for one item that two threads fill and empty by turns has a miss and an invalidation for each item, also
// PROVES: where a thread pauses while it waits, and does so little in between that its word might be a lock's
// COMPILE: gcc clang -O0 -O2 -pthread
// ARGS: --sharing-floor=1000000000
// SET: ITEMS=2000
// ALSO: --contention-exact=yes
// COUNTS: modelled slot misses=ITEMS+1~2% invalidations=ITEMS-1~2% false<=4
// COUNTS: observed slot misses=ITEMS..ITEMS+2 invalidations=ITEMS-2..ITEMS-1
// EXPECT: nothing
#include "workers.h"

static LINE_ALIGNED long slot[LINE / sizeof(long)];
static LINE_ALIGNED int full[LINE / sizeof(int)];
static LINE_ALIGNED long sum[LINE / sizeof(long)];

static void work(int index) {
    for (int i = 0; i < ITEMS; ++i) {
        while (__atomic_load_n(&full[0], __ATOMIC_ACQUIRE) != index) PAUSE();
        if (index == 0)
            STORE(slot[0], i);
        else
            sum[0] += LOAD(slot[0]);
        __atomic_store_n(&full[0], !index, __ATOMIC_RELEASE);
    }
}

int main(void) {
    run_threads(2, work);
    return sum[0] != (long)ITEMS * (ITEMS - 1) / 2;
}
