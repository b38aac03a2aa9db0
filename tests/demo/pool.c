// SPDX-License-Identifier: GPL-2.0-or-later
//
// A pool of four threads: each takes the number of the next piece of work under a lock, until none is left. With -DFIXED it takes
// 50 at a time.
#include <pthread.h>
#include <stdio.h>

#ifdef FIXED
enum { kAtOnce = 50 };
#else
enum { kAtOnce = 1 };
#endif

enum { kThreads = 4, kPieces = 8000, kSteps = 10 };

static struct {
    pthread_mutex_t lock;
    int next;
} pool = {PTHREAD_MUTEX_INITIALIZER, 0};
static unsigned results[kPieces];

static void *work(void *unused) {
    for (;;) {
        pthread_mutex_lock(&pool.lock);
        const int first = pool.next;
        pool.next += kAtOnce;
        pthread_mutex_unlock(&pool.lock);
        if (first >= kPieces) return unused;
        for (int piece = first; piece < first + kAtOnce; ++piece) {
            unsigned x = piece;
            for (int step = 0; step < kSteps; ++step) x = x * 1664525 + 1013904223;
            results[piece] = x;
        }
    }
}

int main(void) {
    pthread_t threads[kThreads];
    for (int t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, work, NULL);
    for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
    unsigned all = 0;
    for (int i = 0; i < kPieces; ++i) all ^= results[i];
    printf("%08x\n", all);
    return 0;
}
