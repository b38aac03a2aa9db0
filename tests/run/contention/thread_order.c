// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: threads that run one after the other by create and join cost only the handovers, however many writes each
// PROVES: does
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: ROUNDS=15 WRITES=3000
// SET: ROUNDS=60 WRITES=25
// ALSO: --interleave=100
// COUNTS: modelled watched misses=2*ROUNDS cold=1 invalidations=2*ROUNDS-1 true=2*(2*ROUNDS-1)
// COUNTS: observed watched misses=2*ROUNDS cold=1 invalidations=2*ROUNDS-1 true=2*(2*ROUNDS-1)
// EXPECT: nothing
#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];

static void* add(void* unused) {
    for (int i = 0; i < WRITES; ++i) INCREMENT(watched[2]);
    return unused;
}

int main(void) {
    for (int round = 0; round < ROUNDS; ++round) {
        pthread_t thread;
        add(NULL);
        NEED_TRUE(pthread_create(&thread, NULL, add, NULL) == 0);
        pthread_join(thread, NULL);
    }
    return 0;
}
