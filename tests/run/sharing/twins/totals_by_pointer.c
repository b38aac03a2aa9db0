// SPDX-License-Identifier: GPL-2.0-or-later
// Threads add to two scalars on the heap, one of them under a lock, by pointers that they got.
// EXPECT: TrueSharing total 'Several threads only add to \*total and \*count:'
#include <stdlib.h>
#include "../../include/workers.h"
enum { THREADS = 4, ROUNDS = 3000 };
struct task {
    LINE_ALIGNED long *total, *count;
    pthread_mutex_t* lock;
};
static struct task tasks[THREADS];
static LINE_ALIGNED pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void work(int index) {
    struct task* const task = &tasks[index];
    volatile long mine = 0, counted = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        const long value = i * 7 % 13;
        pthread_mutex_lock(task->lock);
#ifdef MENDED
        mine += value;
#else
        *task->total += value;
#endif
        pthread_mutex_unlock(task->lock);
        if (i % 2 == 0) continue;
#ifdef MENDED
        ++counted;
#else
        __atomic_fetch_add(task->count, 1, __ATOMIC_RELAXED);
#endif
    }
    if (mine == 0) return;
    pthread_mutex_lock(task->lock);
    *task->total += mine;
    *task->count += counted;
    pthread_mutex_unlock(task->lock);
}

int main(void) {
    long *total = calloc(1, sizeof *total), *count = calloc(1, sizeof *count);
    for (int i = 0; i < THREADS; ++i) tasks[i] = (struct task){total, count, &lock};
    run_together(THREADS, work);
    return *total + *count == 0;
}
