// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a thread created by a thread starts at its creator's time, and its end counts for the thread that joins it
// COMPILE: gcc -O0 -O2 -pthread
// SET: DEPTH=12 WRITES=500
// SET: DEPTH=40 WRITES=33
// ALSO: --interleave=100
// COUNTS: modelled down misses=DEPTH cold=1 invalidations=DEPTH-1
// COUNTS: modelled up misses=DEPTH cold=1 invalidations=DEPTH-1
// COUNTS: observed down misses=DEPTH cold=1 invalidations=DEPTH-1
// COUNTS: observed up misses=DEPTH cold=1 invalidations=DEPTH-1
// COUNTS: modelled total threads=DEPTH+1
// EXPECT: nothing
#include "workers.h"

static LINE_ALIGNED long down[LINE / sizeof(long)];
static LINE_ALIGNED long up[LINE / sizeof(long)];

static void* descend(void* argument) {
    const long level = (long)argument;
    for (int i = 0; i < WRITES; ++i) INCREMENT(down[level % 8]);
    if (level < DEPTH) {
        pthread_t next;
        NEED_TRUE(pthread_create(&next, NULL, descend, (void*)(level + 1)) == 0);
        pthread_join(next, NULL);
    }
    for (int i = 0; i < WRITES; ++i) INCREMENT(up[0]);
    return NULL;
}

int main(void) {
    pthread_t first;
    pthread_create(&first, NULL, descend, (void*)1L);
    pthread_join(first, NULL);
    return 0;
}
