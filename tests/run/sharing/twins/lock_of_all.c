// SPDX-License-Identifier: GPL-2.0-or-later
// Threads count under one lock. Mended, each has a lock and a count of its own.
// EXPECT: TrueSharing totals 'Threads take turns'
#include "../../include/workers.h"
enum { THREADS = 4, ROUNDS = 1500 };
static LINE_ALIGNED struct totals {
    LINE_ALIGNED pthread_mutex_t lock;
    volatile long count, sum;
} totals[THREADS];

static void work(int index) {
#ifdef MENDED
    struct totals* mine = &totals[index];
#else
    struct totals* mine = &totals[0];
#endif
    for (int i = 0; i < ROUNDS; ++i) {
        pass_time(60);
        pthread_mutex_lock(&mine->lock);
        mine->count++;
        mine->sum += i + index;
        pthread_mutex_unlock(&mine->lock);
    }
}

int main(void) {
    for (int i = 0; i < THREADS; ++i) pthread_mutex_init(&totals[i].lock, NULL);
    run_together(THREADS, work);
    return totals[0].count == 0;
}
