// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: work under a program's own lock, an atomic exchange and a plain store, does not overlap in the model, with and
// PROVES: without a look before the exchange: a turn takes the lines at most once, and nearly all of that is true sharing
// COMPILE: gcc clang -O1 -O2 -pthread
// SET: THREADS=4 ROUNDS=120 LOOK=1
// SET: THREADS=3 ROUNDS=160 LOOK=0
// ALSO: --contention-exact=yes
// A word is known as a lock after some turns. Until then a thread may have several turns one after the other, as it really had
// them, for which it takes the lines once. Turns that overlap would take them more often: of 480 none, 28 or 56 do in sixteen
// runs, before the word is known, where all threads run at once.
// COUNTS: modelled total_of misses=115*THREADS*ROUNDS..145*THREADS*ROUNDS invalidations=115*THREADS*ROUNDS..145*THREADS*ROUNDS
// COUNTS: modelled total_of false<=0.12*256*THREADS*ROUNDS
// COUNTS: observed total_of events<=2*128*THREADS*ROUNDS
// SHARING: TrueSharing names="total_of lock" maybe=yes
#include "workers.h"

#define COUNT 2048
static LINE_ALIGNED int total_of[COUNT];
static LINE_ALIGNED int lock;
static LINE_ALIGNED char end[LINE];

static void work(int index) {
    int own[COUNT];
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < COUNT; ++i) STORE(own[i], i ^ round ^ index);
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0)
            while (LOOK && __atomic_load_n(&lock, __ATOMIC_RELAXED) != 0) continue;
        // The second half first in every other turn: turns that overlap would meet in all lines.
        for (int i = 0; i < COUNT; ++i) {
            const int at = index % 2 == 0 ? i : COUNT - 1 - i;
            STORE(total_of[at], LOAD(total_of[at]) + LOAD(own[at]));
        }
        __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    }
}

int main(void) {
    NEED_TRUE(end[0] == 0);
    run_together(THREADS, work);
    return 0;
}
