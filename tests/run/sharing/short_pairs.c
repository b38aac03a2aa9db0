// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: short-lived threads, two at a time, give a finding if these two compete for a line
// COMPILE: gcc clang -O1 -pthread
// SET: PAIRS=60 COUNT=4000
// SHARING: FalseSharing names="counters"
// COUNTS: modelled counters events>=PAIRS*COUNT
#include "workers.h"

static LINE_ALIGNED long counters[2];

static void* count(void* own) {
    for (int i = 0; i < COUNT; ++i) INCREMENT(*(long*)own);
    return NULL;
}

int main(void) {
    for (int i = 0; i < PAIRS; ++i) {
        pthread_t threads[2];
        for (int k = 0; k < 2; ++k)
            if (pthread_create(&threads[k], NULL, count, &counters[k]) != 0) return 2;
        for (int k = 0; k < 2; ++k) pthread_join(threads[k], NULL);
    }
    printf("%ld %ld\n", counters[0], counters[1]);
    return 0;
}
