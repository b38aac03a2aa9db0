// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the same queues, each aligned to a line, give no finding
// COMPILE: gcc -O0 -O2 -std=c++17 -pthread
// SET: WORKERS=4 ITEMS=4000 CAPACITY=4
// SET: WORKERS=3 ITEMS=9000 CAPACITY=31
// EXPECT: nothing
#include <vector>

#include "workers.h"

struct alignas(64) Queue {
    unsigned head = 0;
    unsigned tail = 0;
    int items[CAPACITY] = {};
};

alignas(64) Queue* queues;
alignas(64) char end[64];

static void work(int index) {
    Queue& queue = queues[index];
    long sum = 0;
    for (int i = 0; i < ITEMS; ++i) {
        queue.items[queue.tail % CAPACITY] = i;
        INCREMENT(queue.tail);
        sum += queue.items[queue.head % CAPACITY];
        INCREMENT(queue.head);
    }
    NEED_TRUE(sum == (long)ITEMS * (ITEMS - 1) / 2);
}

int main() {
    std::vector<Queue> all(WORKERS);
    queues = all.data();
    run_together(WORKERS, work);
    return 0;
}
