// SPDX-License-Identifier: GPL-2.0-or-later
// One thread publishes under a sequence lock, the others count what they read beside it.
// EXPECT: TrueSharing position 'Several threads only add to position.reads'
#include <stdatomic.h>
#include "../../include/workers.h"
enum { THREADS = 4, READS = 4000, WRITES = 1000 };
static struct {
    LINE_ALIGNED atomic_uint sequence;
    volatile double x, y, z;
    atomic_long reads;
} position;

static void publish(void) {
    for (int i = 0; i < WRITES; ++i) {
        atomic_fetch_add_explicit(&position.sequence, 1, memory_order_acquire);
        position.x = i;
        position.y = 2 * i;
        position.z = 3 * i;
        atomic_fetch_add_explicit(&position.sequence, 1, memory_order_release);
        pass_time(100);
    }
}

static void work(int index) {
    if (index == 0) return publish();
    double sum = 0;
    volatile long mine = 0;
    for (int i = 0; i < READS; ++i) {
        unsigned sequence;
        do {
            while ((sequence = atomic_load_explicit(&position.sequence, memory_order_acquire)) & 1) continue;
            sum += position.x + position.y + position.z;
            atomic_thread_fence(memory_order_acquire);
        } while (atomic_load_explicit(&position.sequence, memory_order_relaxed) != sequence);
#ifdef MENDED
        ++mine;
#else
        atomic_fetch_add_explicit(&position.reads, 1, memory_order_relaxed);
#endif
    }
    atomic_fetch_add(&position.reads, mine + (sum < 0));
}

int main(void) {
    run_together(THREADS, work);
    return position.reads == 0;
}
