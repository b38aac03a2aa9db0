// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: two small blocks of one allocation site in one line are falsely shared
// COMPILE: gcc -O0 -O2 -pthread
// SET: COUNT=20000 SIZE=4
// SET: COUNT=8000 SIZE=8
// ARGS: --redzone-size=16
// COUNTS: modelled heap:block misses=2*COUNT~3% invalidations=2*COUNT~3% true=0
// SHARING: FalseSharing alloc=block at="add"
#include "workers.h"

static LINE_ALIGNED int* mine[2];
static LINE_ALIGNED char end[LINE];

NOINLINE static int* make(void) {
    int* block = calloc(1, SIZE); /* label: block */
    ESCAPE(block);
    return block;
}

static void work(int index) {
    int* counter = mine[index];
    for (int i = 0; i < COUNT; ++i) INCREMENT(*counter); /* label: add */
}

int main(void) {
    int* all[64];
    NEED_TRUE(end[0] == 0);
    for (int i = 0; i < 64; ++i) all[i] = make();
    for (int i = 0; i < 64; ++i)
        for (int k = 0; k < i; ++k)
            if ((size_t)all[i] / LINE == (size_t)all[k] / LINE) {
                mine[0] = all[i];
                mine[1] = all[k];
            }
    if (!mine[0]) return 0;  // no two blocks share a line
    run_together(2, work);
    for (int i = 0; i < 64; ++i) free(all[i]);
    return 0;
}
