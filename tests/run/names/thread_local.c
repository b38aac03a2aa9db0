// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a thread-local variable that other threads access has its name and its thread's number
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: COUNT=20000
// SHARING: FalseSharing names="own_counters" text="own_counters of thread [234]"
// SHARING: anything
#include "workers.h"

static LINE_ALIGNED __thread long initialised[8] = {1};
static LINE_ALIGNED __thread long own_counters[8];
static long* volatile lent;
static pthread_barrier_t lending;

static void work(int index) {
    initialised[0] += index;
    if (index == 0) lent = own_counters;
    pthread_barrier_wait(&lending);
    for (int i = 0; i < COUNT; ++i) INCREMENT(lent[index]);
    pthread_barrier_wait(&lending);  // until the owner's storage is no longer needed
}

int main(void) {
    pthread_barrier_init(&lending, NULL, 3);
    run_together(3, work);
    return 0;
}
