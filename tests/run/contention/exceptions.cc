// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: stacks are right after exceptions that leave many calls
// COMPILE: gcc -O0 -O2 -pthread
// SET: THREADS=2 ROUNDS=300 DEPTH=4 STEPS=10
// SET: THREADS=3 ROUNDS=100 DEPTH=12 STEPS=40
// COUNTS: modelled counters misses>=0.9*THREADS*ROUNDS invalidations>=0.9*THREADS*ROUNDS true=0
// ARGS: --sharing-floor=1
// SHARING: FalseSharing names="counters" at="add" calls="add work(int)"
// SHARING: anything
#include "workers.h"

alignas(64) int counters[16];

NOINLINE static void fall(int depth) {
    if (depth == 0) throw 7;
    fall(depth - 1);
    BARRIER();
}

extern "C" NOINLINE void add(int index) {
    for (int i = 0; i < STEPS; ++i) INCREMENT(counters[index]); /* label: add */
}

NOINLINE static void work(int index) {
    for (int i = 0; i < ROUNDS; ++i) {
        try {
            fall(DEPTH);
        } catch (int thrown) {
            NEED_TRUE(thrown == 7);
            add(index);
        }
    }
}

int main() {
    run_together(THREADS, work);
    return 0;
}
