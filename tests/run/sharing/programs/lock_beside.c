// SPDX-License-Identifier: GPL-2.0-or-later
// A value that one thread works on stands beside a lock that the others take.
// EXPECT: FalseSharing queue 'Move queue.ticks, which only thread . uses, to a line of its own .*queue.lock.* may stay together'
#include "../../include/workers.h"
static LINE_ALIGNED struct {
    pthread_mutex_t lock;
    volatile long length;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long ticks;
} queue = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void work(int index) {
    for (int i = 0; i < 5000; ++i) {
        if (index == 0) {
            for (int k = 0; k < 20; ++k) queue.ticks++;
            continue;
        }
        pthread_mutex_lock(&queue.lock);
        queue.length++;
        pthread_mutex_unlock(&queue.lock);
    }
}

int main(void) {
    run_together(4, work);
    return queue.length == 15000 ? 0 : 1;
}
