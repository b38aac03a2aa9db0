// SPDX-License-Identifier: GPL-2.0-or-later
// A lock and what it protects beside a counter of one thread that does not take it.
// EXPECT: - shared '.'
#include "../../include/workers.h"
static LINE_ALIGNED struct {
    pthread_mutex_t lock;
    volatile long jobs;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long beats;
} shared = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void work(int index) {
    for (int i = 0; i < 3000; ++i) {
        if (index == 0) {
            for (int k = 0; k < 12; ++k) shared.beats++;
            continue;
        }
        pthread_mutex_lock(&shared.lock);
        shared.jobs++;
        pthread_mutex_unlock(&shared.lock);
        volatile int other = 0;
        for (int k = 0; k < 30; ++k) other += k;
    }
}

int main(void) {
    run_together(4, work);
    return shared.jobs == 9000 ? 0 : 1;
}
