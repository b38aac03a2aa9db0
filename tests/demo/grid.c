// SPDX-License-Identifier: GPL-2.0-or-later
//
// Four threads relax a grid, each a band of rows. A row has 20 numbers, 160 bytes: the first row of a band begins in the
// line in which the last one of the band before it ends. With -DFIXED rows are as long as three lines.
#include <pthread.h>
#include <stdio.h>

enum {
    kThreads = 4,
    kColumns = 20,
    kBand = 5,
    kRounds = 100,
#ifdef FIXED
    kPitch = 24
#else
    kPitch = kColumns
#endif
};

static _Alignas(64) double old[kThreads * kBand + 2][kPitch], new[kThreads * kBand + 2][kPitch];
static pthread_barrier_t all_here;

static void *relax(void *argument) {
    const long first = 1 + (long)argument * kBand;
    for (int round = 0; round < kRounds; ++round) {
        for (long row = first; row < first + kBand; ++row)
            for (long i = 1; i + 1 < kColumns; ++i)
                new[row][i] = 0.25 * (old[row - 1][i] + old[row + 1][i] + old[row][i - 1] + old[row][i + 1]);
        pthread_barrier_wait(&all_here);
        for (long row = first; row < first + kBand; ++row)
            for (long i = 1; i + 1 < kColumns; ++i) old[row][i] = new[row][i];
        pthread_barrier_wait(&all_here);
    }
    return NULL;
}

int main(void) {
    for (int i = 0; i < kColumns; ++i) old[0][i] = 100;
    pthread_barrier_init(&all_here, NULL, kThreads);
    pthread_t threads[kThreads];
    for (long t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, relax, (void *)t);
    for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
    printf("%.6f\n", old[1][kColumns / 2]);
    return 0;
}
