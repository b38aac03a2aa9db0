// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: buffers that one thread fills and another one reads, round after round, give no finding, however many
// PROVES: events there are
// COMPILE: gcc clang -O1 -O2 -pthread
// SET: THREADS=4 N=16384 ROUNDS=30
// SET: THREADS=2 N=8192 ROUNDS=100
// ALSO: --interleave=1000
// COUNTS: modelled buffers events>=N//16*ROUNDS
// EXPECT: nothing
#include "workers.h"

static LINE_ALIGNED int buffers[2][N];
static LINE_ALIGNED pthread_barrier_t turn;
static LINE_ALIGNED struct {
    long sum;
} LINE_ALIGNED results[THREADS];

// The first thread fills; the others read the data of the round before.
static void work(int index) {
    const int share = N / (THREADS - 1);
    for (int round = 0; round <= ROUNDS; ++round) {
        int* filled = buffers[round % 2];
        const int* ready = buffers[1 - round % 2];
        long sum = 0;
        if (index == 0)
            for (int i = 0; i < N; ++i) filled[i] = i * round;
        else
            for (int i = (index - 1) * share; i < index * share; ++i) sum += LOAD(ready[i]);
        results[index].sum += sum;
        pthread_barrier_wait(&turn);
    }
}

int main(void) {
    pthread_barrier_init(&turn, NULL, THREADS);
    run_threads(THREADS, work);
    long sum = 0;
    for (int i = 0; i < THREADS; ++i) sum += results[i].sum;
    printf("%ld\n", sum);
    return 0;
}
