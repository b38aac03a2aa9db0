// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: threads that take jobs by an atomic counter have nearly equal shares of them in each round, though the core runs
// PROVES: one thread at a time: the round is over when the last job is
// COMPILE: gcc clang -O0 -O2 -pthread -std=c++20
// ARGS: --sharing-floor=1000000000
// SET: ROUNDS=40 JOBS=16
// Jobs are increments of words of one line, of which nearly all miss. Of who works alone at a round's end few do.
// COUNTS: modelled counts misses=0.92*ROUNDS*JOBS*800..ROUNDS*JOBS*800
// EXPECT: nothing
#include <atomic>

#include "workers.h"

constexpr int kThreads = 4, kEach = 800;
static LINE_ALIGNED long counts[LINE / sizeof(long)];
static LINE_ALIGNED std::atomic<int> next[ROUNDS * LINE / sizeof(int)];
static pthread_barrier_t barrier;

static void run(int index) {
    for (int round = 0; round < ROUNDS; ++round) {
        while (next[round * LINE / sizeof(int)].fetch_add(1) < JOBS)
            for (int i = 0; i < kEach; ++i) INCREMENT(counts[index]);
        pthread_barrier_wait(&barrier);
    }
}

int main() {
    pthread_barrier_init(&barrier, nullptr, kThreads);
    run_threads(kThreads, run);
    return 0;
}
