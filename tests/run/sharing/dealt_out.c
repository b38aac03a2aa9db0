// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an array whose elements go to threads in turn is falsely shared, although each of its many lines has few
// PROVES: events
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: THREADS=4 N=80000 ROUNDS=2
// SET: THREADS=3 N=30000 ROUNDS=5
// COUNTS: modelled array false>=0.2*N*ROUNDS true<=20
// SHARING: FalseSharing names="array" at="add"
#include "workers.h"

static LINE_ALIGNED int array[N];

static void work(int index) {
    for (int round = 0; round < ROUNDS; ++round)
        for (int i = index; i < N; i += THREADS) INCREMENT(array[i]); /* label: add */
}

int main(void) {
    run_together(THREADS, work);
    return array[1] != ROUNDS;
}
