// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: where it is chance whether threads meet, the gain is told as an interval
// COMPILE: gcc -O1 -pthread
// SET: THREADS=2 ROUNDS=60
// SHARING: FalseSharing names="counters" text="x \([0-9]+\.[0-9]{1,2} to [0-9]+\.[0-9]{1,2} in other runs\) on these"
#include "workers.h"

static LINE_ALIGNED long counters[THREADS];
static LINE_ALIGNED volatile long own[THREADS][8];

static unsigned next(unsigned* state) { return (*state = *state * 1103515245u + 12345u) >> 16; }

// Threads meet while both count.
static void work(int index) {
    unsigned state = 77 * index + 5;
    for (int round = 0; round < ROUNDS; ++round) {
        for (unsigned i = 200 + next(&state) % 2000; i > 0; --i) INCREMENT(counters[index]);
        for (unsigned i = 200 + next(&state) % 4000; i > 0; --i) own[index][0] += i;
    }
}

int main(void) {
    run_threads(THREADS, work);
    return 0;
}
