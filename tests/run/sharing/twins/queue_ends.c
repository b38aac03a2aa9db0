// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads move the ends of a queue, each its own, and never look at the other's.
// EXPECT: FalseSharing queue '.'
#include "../../include/workers.h"
struct queue {
    volatile unsigned long head;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile unsigned long tail;
};
static LINE_ALIGNED struct queue queue;

static void work(int index) {
    for (int i = 0; i < 10000; ++i) {
        if (index == 0)
            queue.head++;
        else
            queue.tail++;
        volatile int other = 0;
        for (int k = 0; k < 3; ++k) other += k;
    }
}

int main(void) {
    run_together(2, work);
    return queue.head == 10000 ? 0 : 1;
}
