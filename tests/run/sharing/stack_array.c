// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an array on the main thread's stack that its workers write into is falsely shared, and the variable is named
// COMPILE: gcc -O0 -O2 -pthread
// SET: THREADS=4 COUNT=20000
// SET: THREADS=2 COUNT=33000
// COUNTS: modelled stack:main+stack:count_all events>=THREADS*COUNT*1.9 true<=60
// SHARING: FalseSharing text="inside counts of count_all" at="add"
#include <stdint.h>

#include "workers.h"

static LINE_ALIGNED long* slots;
static LINE_ALIGNED char end[LINE];

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) INCREMENT(slots[index]); /* label: add */
}

NOINLINE static long count_all(void) {
    // Not aligned, because compilers for ARM64 keep the place of an aligned variable in a register, of which the frame
    // tells nothing.
    long counts[2 * LINE / sizeof(long)] = {0};
    slots = (long*)(((uintptr_t)counts + LINE - 1) / LINE * LINE);
    run_together(THREADS, work);
    ESCAPE(counts);
    return slots[0];
}

int main(void) {
    NEED_TRUE(end[0] == 0);
    return count_all() != COUNT;
}
