// SPDX-License-Identifier: GPL-2.0-or-later
// Eight pairs of threads, each with a ring of its own: one fills it, the other empties it. The indices are beside the items.
// EXPECT: FalseSharing rings 'Put rings->head \(written by thread [0-9]+\) and rings->tail \(thread [0-9]+\) on lines of their own.*keep a copy of the other' several
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "../../include/workers.h"
#define PAIRS 8
#define SIZE 256
#define ITEMS 3000
struct ring {
    atomic_uint head;
#ifdef MENDED
    char padding[60];
#endif
    atomic_uint tail;
#ifdef MENDED
    char more_padding[60];
#endif
    unsigned slots[SIZE];
};
static struct ring *rings[PAIRS];

static void produce(struct ring *ring) {
    unsigned head = 0;
    for (unsigned i = 0; i < ITEMS;) {
        const unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
#ifdef MENDED
        if (tail - head == SIZE)
#endif
            head = atomic_load_explicit(&ring->head, memory_order_acquire);
        if (tail - head == SIZE) {
            sched_yield();
            continue;
        }
        ring->slots[tail % SIZE] = i++ * 2654435761u;
        atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    }
}

static unsigned long consume(struct ring *ring) {
    unsigned long sum = 0;
    unsigned tail = 0;
    for (unsigned i = 0; i < ITEMS;) {
        const unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
#ifdef MENDED
        if (head == tail)
#endif
            tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
        if (head == tail) {
            sched_yield();
            continue;
        }
        sum += ring->slots[head % SIZE];
        ++i;
        atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    }
    return sum;
}

static unsigned long sums[PAIRS];
static void work(int index) {
    if (index % 2 == 0)
        produce(rings[index / 2]);
    else
        sums[index / 2] = consume(rings[index / 2]);
}

int main(void) {
    for (int i = 0; i < PAIRS; ++i) {
        rings[i] = aligned_alloc(64, (sizeof(struct ring) + 63) / 64 * 64);
        rings[i]->head = rings[i]->tail = 0;
    }
    run_together(2 * PAIRS, work);
    return sums[0] == 0;
}
