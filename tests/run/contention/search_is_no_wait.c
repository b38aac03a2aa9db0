// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a loop that searches memory takes its time, though a branch that leads out of it depends on a word that does not change
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: THREADS=2 ROUNDS=300
// COUNTS: modelled found misses>=0.9*THREADS*ROUNDS invalidations>=0.9*THREADS*ROUNDS
// SHARING: anything
#include "workers.h"

#define COUNT 4000
static LINE_ALIGNED struct {
    int cancelled;
    int values[COUNT];
} table;
static LINE_ALIGNED int found[16];

NOINLINE static int position(int value) {
    int i = 0;
    while (!LOAD(table.cancelled) && i < COUNT && LOAD(table.values[i]) != value) ++i;
    return i;
}

static void work(int index) {
    for (int round = 0; round < ROUNDS; ++round) {
        NEED_TRUE(position(COUNT - 1 - round) == COUNT - 1 - round);
        INCREMENT(found[index]);
    }
}

int main(void) {
    for (int i = 0; i < COUNT; ++i) table.values[i] = i;
    run_together(THREADS, work);
    return 0;
}
