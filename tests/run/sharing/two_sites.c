// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a line with blocks of two allocation sites is charged to both
// COMPILE: gcc -O0 -O2 -pthread
// SET: COUNT=20000
// SET: COUNT=9000
// ARGS: --redzone-size=16
// COUNTS: modelled heap:first misses=COUNT~3% invalidations=COUNT~3% true=0
// COUNTS: modelled heap:second misses=COUNT~3% invalidations=COUNT~3% true=0
// SHARING: FalseSharing alloc=first at="add"
// SHARING: FalseSharing alloc=second at="add"
// SHARING: anything
#include "workers.h"

static LINE_ALIGNED int* mine[2];
static LINE_ALIGNED char end[LINE];

NOINLINE static int* make_first(void) {
    int* block = calloc(1, 8); /* label: first */
    ESCAPE(block);
    return block;
}
NOINLINE static int* make_second(void) {
    int* block = calloc(1, 8); /* label: second */
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
    for (int i = 0; i < 64; ++i) all[i] = i % 2 ? make_second() : make_first();
    for (int i = 1; i < 64; i += 2)
        for (int k = 0; k < 64; k += 2)
            if ((size_t)all[i] / LINE == (size_t)all[k] / LINE) {
                mine[0] = all[k];
                mine[1] = all[i];
            }
    if (!mine[0]) return 0;  // natively: no two blocks share a line
    run_together(2, work);
    for (int i = 0; i < 64; ++i) free(all[i]);
    return 0;
}
