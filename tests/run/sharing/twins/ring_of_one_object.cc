// SPDX-License-Identifier: GPL-2.0-or-later
// One thread fills a ring, another empties it. Indices and slots are members of one object.
// EXPECT: TrueSharing ring 'keep a copy of the other'
#include <sched.h>

#include <atomic>

#include "../../include/workers.h"
enum { SIZE = 64, ITEMS = 3000 };
struct Ring {
    std::atomic<unsigned long> head{0};
#ifdef MENDED
    unsigned long known_tail = 0;
    alignas(LINE)
#endif
    std::atomic<unsigned long> tail{0};
#ifdef MENDED
    unsigned long known_head = 0;
#endif
    alignas(LINE) long slots[SIZE];
};
alignas(LINE) static Ring ring;
static volatile long sum;

// `bound`: the other's index at which this one waits; `known`: a copy of that index.
static void wait(const std::atomic<unsigned long>& other, unsigned long& known, unsigned long bound) {
#ifdef MENDED
    if (known != bound) return;
#endif
    while ((known = other.load(std::memory_order_acquire)) == bound) sched_yield();
}

static void work(int index) {
    unsigned long copy = 0;
#ifdef MENDED
    unsigned long& known = index == 0 ? ring.known_tail : ring.known_head;
#else
    unsigned long& known = copy;
#endif
    (void)copy;
    for (unsigned long i = 0; i < ITEMS; ++i) {
        volatile int other = 0;
        for (int n = 0; n < 20; ++n) other = other + n;
        if (index == 0) {
            wait(ring.tail, known, i - SIZE);
            ring.slots[i % SIZE] = static_cast<long>(i);
            ring.head.store(i + 1, std::memory_order_release);
        } else {
            wait(ring.head, known, i);
            sum = sum + ring.slots[i % SIZE];
            ring.tail.store(i + 1, std::memory_order_release);
        }
    }
}

int main() {
    run_together(2, work);
    return 0;
}
