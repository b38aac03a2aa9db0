// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: blocks that go through a ring without a lock are handed over from its first round on, when nobody has waited for
// PROVES: the ring's ends yet: their events are true sharing
// COMPILE: gcc clang -O1 -pthread
// SET: THREADS=2 COUNT=2000
// ALSO: --contention-exact=yes
// COUNTS: modelled slots events<=8.4*COUNT false<=0.2*COUNT
// SHARING: anything
#include <sched.h>
#include <stdatomic.h>

#include "workers.h"

enum { VALUES = 16, SLOTS = 64 };
static LINE_ALIGNED struct slot {
    long value[VALUES];
} slots[SLOTS];
static LINE_ALIGNED struct {
    atomic_ulong count;
    char end[LINE - sizeof(atomic_ulong)];
} put, taken;
static LINE_ALIGNED long sum;

static void produce(void) {
    for (unsigned long i = 0; i < COUNT; ++i) {
        while (i - atomic_load_explicit(&taken.count, memory_order_acquire) == SLOTS) sched_yield();
        struct slot* slot = &slots[i % SLOTS];
        for (int round = 0; round < 3; ++round)
            for (int k = 0; k < VALUES; ++k) slot->value[k] += i + k;
        atomic_store_explicit(&put.count, i + 1, memory_order_release);
    }
}
static void consume(void) {
    for (unsigned long i = 0; i < COUNT; ++i) {
        while (atomic_load_explicit(&put.count, memory_order_acquire) == i) sched_yield();
        struct slot* slot = &slots[i % SLOTS];
        for (int k = 0; k < VALUES; ++k) {
            sum += slot->value[k];
            slot->value[k] = 0;
        }
        atomic_store_explicit(&taken.count, i + 1, memory_order_release);
    }
}
static void work(int index) { index == 0 ? produce() : consume(); }

int main(void) {
    run_threads(THREADS, work);
    return 0;
}
