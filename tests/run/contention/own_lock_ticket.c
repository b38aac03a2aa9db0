// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: most work under a ticket lock does not overlap in the model, whether a thread that waits yields or pauses
// On ARM64 threads often come one after the other through all their turns, and the word is known only at the end.
// ARCH: x86_64
// COMPILE: gcc clang -O1 -O2 -pthread
// SET: THREADS=4 ROUNDS=150 COUNT=500 YIELDS=1
// SET: THREADS=3 ROUNDS=200 COUNT=400 YIELDS=0
// The turns before the word is known to be a lock overlap, and how many these are depends on where the threads' slices
// end. Without the replay there are from 0.57 to more than 1 for each addition.
// COUNTS: modelled total_of misses=THREADS*ROUNDS*0.3..THREADS*ROUNDS*COUNT/2 invalidations<=THREADS*ROUNDS*COUNT/2
// SHARING: TrueSharing names="total_of lock" maybe=yes
// SHARING: FalseSharing names="total_of lock" maybe=yes
#include <sched.h>

#include "workers.h"

static LINE_ALIGNED int total_of[LINE / sizeof(int)];
static LINE_ALIGNED struct {
    unsigned next;
    unsigned now_served;
} lock;

static void take(void) {
    const unsigned ticket = __atomic_fetch_add(&lock.next, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&lock.now_served, __ATOMIC_ACQUIRE) != ticket) {
        if (YIELDS)
            sched_yield();
        else
            PAUSE();
    }
}
static void give(void) {
    __atomic_store_n(&lock.now_served, __atomic_load_n(&lock.now_served, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
}

#include "locked_sums.h"
