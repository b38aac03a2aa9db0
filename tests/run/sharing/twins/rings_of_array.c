// SPDX-License-Identifier: GPL-2.0-or-later
// Pairs of threads have a ring each, all in one array. The two indices of a ring share a line.
// EXPECT: TrueSharing rings 'rings.[01]..in .* and rings.[01]..out .* keep a copy of the other'
#include <sched.h>
#include <stdatomic.h>

#include "../../include/workers.h"
enum { SIZE = 256, ITEMS = 3000, PAIRS = 2 };
struct ring {
    LINE_ALIGNED atomic_uint in;
#ifdef MENDED
    unsigned known_out;
    LINE_ALIGNED
#endif
    atomic_uint out;
#ifdef MENDED
    unsigned known_in;
#endif
    LINE_ALIGNED int items[SIZE];
};
static struct ring rings[PAIRS];
static volatile int sums[PAIRS * 32];

// `bound`: the other's index at which this one waits; `known`: a copy of that index.
static void wait_for(atomic_uint* other, unsigned* known, unsigned bound) {
#ifdef MENDED
    if (*known != bound) return;
#endif
    while ((*known = atomic_load_explicit(other, memory_order_acquire)) == bound) sched_yield();
}

static void work(int index) {
    struct ring* ring = &rings[index / 2];
    unsigned copy = 0;
#ifdef MENDED
    unsigned* known = index % 2 == 0 ? &ring->known_out : &ring->known_in;
    (void)copy;
#else
    unsigned* known = &copy;
#endif
    for (unsigned i = 0; i < ITEMS; ++i) {
        pass_time(20);
        if (index % 2 == 0) {
            wait_for(&ring->out, known, i - SIZE);
            ring->items[i % SIZE] = (int)i;
            atomic_store_explicit(&ring->in, i + 1, memory_order_release);
        } else {
            wait_for(&ring->in, known, i);
            sums[index / 2 * 32] += ring->items[i % SIZE];
            atomic_store_explicit(&ring->out, i + 1, memory_order_release);
        }
    }
}

int main(void) {
    run_together(2 * PAIRS, work);
    return sums[0] == sums[32] ? 0 : 1;
}
