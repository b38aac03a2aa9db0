// SPDX-License-Identifier: GPL-2.0-or-later
// One thread fills a ring, another empties it; each looks at the other's index for each item.
// EXPECT: FalseSharing ring 'Put ring.head .written by thread [0-9]. and ring.tail .thread [0-9]. on lines of their own .*keep a copy of the other.s index.*: both together remove about ([78][0-9]|[1-9][0-9][0-9]),' hidden
#include "../../include/workers.h"
// Half full at first, and larger than the bounded skew lets one thread get ahead: nobody waits, so each item has a miss and
// an invalidation for either thread. Each often misses at its own index, because it comes to that first.
enum { ITEMS = 20000, ROOM = 4096, FIRST = ROOM / 2 };
#ifdef MENDED
#define APART LINE_ALIGNED
#else
#define APART
#endif
static struct {
    APART volatile unsigned long head;
    unsigned long known_tail;
    APART volatile unsigned long tail;
    unsigned long known_head;
    LINE_ALIGNED volatile long items[ROOM];
} ring LINE_ALIGNED = {.head = FIRST, .known_head = FIRST};
static volatile long sum[8] LINE_ALIGNED;

#ifdef MENDED
#define IS_FULL (ring.head - ring.known_tail == ROOM && ring.head - (ring.known_tail = ring.tail) == ROOM)
#define IS_EMPTY (ring.tail == ring.known_head && ring.tail == (ring.known_head = ring.head))
#else
#define IS_FULL (ring.head - ring.tail == ROOM)
#define IS_EMPTY (ring.tail == ring.head)
#endif

static void fill(void) {
    for (long i = 0; i < ITEMS; ++i) {
        while (IS_FULL) PAUSE();
        ring.items[ring.head % ROOM] = i;
        pass_time(20);
        __atomic_store_n(&ring.head, ring.head + 1, __ATOMIC_RELEASE);
    }
}

static void empty(void) {
    for (long i = 0; i < ITEMS; ++i) {
        while (IS_EMPTY) PAUSE();
        sum[0] += ring.items[ring.tail % ROOM];
        pass_time(20);
        __atomic_store_n(&ring.tail, ring.tail + 1, __ATOMIC_RELEASE);
    }
}

static void work(int index) { index == 0 ? fill() : empty(); }

int main(void) {
    run_together(2, work);
    return sum[0] == (long)(ITEMS - FIRST) * (ITEMS - FIRST - 1) / 2 ? 0 : 1;
}
