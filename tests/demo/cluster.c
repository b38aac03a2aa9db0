// SPDX-License-Identifier: GPL-2.0-or-later
//
// Four threads try points as further centres of clusters, again and again. Each adds up what its share of the points would save, in its
// own row of one work array. A row is rounded up to a line of 32 bytes, as processors once had; with -DFIXED to one of 64.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef FIXED
enum { kLine = 64 };
#else
enum { kLine = 32 };
#endif

enum { kThreads = 4, kPoints = 800, kCandidates = 40, kTotals = 3 };

static double place[kPoints], cost[kPoints];
static double *work_mem;
static pthread_barrier_t all_here;

static void *try_candidates(void *number) {
    const long thread = (long)number, share = kPoints / kThreads;
    const long stride = (kTotals * sizeof(double) + kLine - 1) / kLine * kLine / sizeof(double);
    double *mine = work_mem + thread * stride;
    for (int candidate = 0; candidate < kCandidates; ++candidate) {
        for (long i = thread * share; i < (thread + 1) * share; ++i) {
            const double distance = (place[i] - place[candidate]) * (place[i] - place[candidate]);
            if (distance < cost[i]) {
                mine[0] += cost[i] - distance;
                mine[1] += 1;
            } else
                mine[2] += 1;
        }
        pthread_barrier_wait(&all_here);
    }
    return NULL;
}

int main(void) {
    for (int i = 0; i < kPoints; ++i) {
        place[i] = i * 37 % 101;
        cost[i] = i * 53 % 997;
    }
    work_mem = aligned_alloc(64, kThreads * 64);
    for (int i = 0; i < kThreads * 64 / 8; ++i) work_mem[i] = 0;
    pthread_barrier_init(&all_here, NULL, kThreads);
    pthread_t threads[kThreads];
    for (long t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, try_candidates, (void *)t);
    double saved = 0;
    for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
    for (int t = 0; t < kThreads; ++t) saved += work_mem[t * kLine / 8];
    printf("saved %.0f\n", saved);
    free(work_mem);
    return 0;
}
