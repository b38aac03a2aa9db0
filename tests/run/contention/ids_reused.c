// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: successive threads with one id of the core are different threads
// COMPILE: gcc -O0 -O2 -pthread
// SET: THREADS=300 WRITES=100
// SET: THREADS=75 WRITES=999
// COUNTS: modelled watched misses=THREADS cold=1 first=THREADS-1 coherence=0 invalidations=THREADS-1
// COUNTS: observed watched misses=THREADS cold=1 first=THREADS-1 coherence=0 invalidations=THREADS-1
// COUNTS: modelled total threads=THREADS+1
// The C library reuses a thread's stack for the next one.
// SHARING: TrueSharing names="thread-local" maybe=yes
// SHARING: TrueSharing names="stack" maybe=yes
#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];

static void* once(void* argument) {
    for (int i = 0; i < WRITES; ++i) INCREMENT(watched[(long)argument % 8]);
    return NULL;
}

int main(void) {
    for (long i = 0; i < THREADS; ++i) {
        pthread_t thread;
        NEED_TRUE(pthread_create(&thread, NULL, once, (void*)i) == 0);
        pthread_join(thread, NULL);
    }
    return 0;
}
