// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a thread pool's queues, packed next to each other, are falsely shared at their borders
// COMPILE: gcc -O0 -O2 -std=c++17 -pthread
// SET: WORKERS=4 ITEMS=4000 CAPACITY=4
// SET: WORKERS=3 ITEMS=9000 CAPACITY=2
// COUNTS: modelled heap:queues events>=WORKERS*ITEMS/2 true<=20
// SHARING: FalseSharing alloc=queues at="push"
#include <vector>

#include "workers.h"

struct Queue {
    unsigned head = 0;
    unsigned tail = 0;
    int items[CAPACITY] = {};

    void push(int item) {
        items[tail % CAPACITY] = item; /* label: push */
        INCREMENT(tail); /* label: push */
    }
    int pop() {
        const int item = items[head % CAPACITY];
        INCREMENT(head);
        return item;
    }
};

alignas(64) Queue* queues;
alignas(64) char end[64];

static void work(int index) {
    Queue& queue = queues[index];
    long sum = 0;
    for (int i = 0; i < ITEMS; ++i) {
        queue.push(i);
        sum += queue.pop();
    }
    NEED_TRUE(sum == (long)ITEMS * (ITEMS - 1) / 2);
}

int main() {
    std::vector<Queue> all;
    all.resize(WORKERS); /* label: queues */
    queues = all.data();
    run_together(WORKERS, work);
    return 0;
}
