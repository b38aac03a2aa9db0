// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the model sees std::barrier and std::latch, from the first phase on and at all levels of optimisation
// COMPILE: gcc -O0 -O2 -std=c++20 -pthread
// ARGS: --sharing-floor=1000000000
// SET: THREADS=4 WRITES=1000
// SET: THREADS=6 WRITES=77
// ALSO: --interleave=100
// COUNTS: modelled watched misses=THREADS cold=1 invalidations=THREADS-1
// COUNTS: observed watched misses=THREADS cold=1 invalidations=THREADS-1
// COUNTS: modelled latched misses=THREADS cold=1 invalidations=1
// COUNTS: observed latched misses=THREADS cold=1 invalidations=1
// EXPECT: nothing
#include <barrier>
#include <latch>
#include <thread>
#include <vector>

#include "workers.h"

alignas(64) long watched[8];
alignas(64) long latched[8];
alignas(64) std::barrier<> barrier(THREADS);
alignas(64) std::latch latch(THREADS);
alignas(64) std::latch written(1);
alignas(64) char end[64];

static void work(int index) {
    for (int phase = 0; phase < THREADS; ++phase) {
        if (phase == index)
            for (int i = 0; i < WRITES; ++i) INCREMENT(watched[i % 8]);
        barrier.arrive_and_wait();
    }
    // The others have a copy when the first thread writes.
    if (index != 0)
        for (int i = 0; i < WRITES; ++i) (void)LOAD(latched[1]);
    latch.arrive_and_wait();
    if (index == 0)
        for (int i = 0; i < WRITES; ++i) STORE(latched[1], i);
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; ++i) threads.emplace_back(work, i);
    for (auto& thread : threads) thread.join();
    return 0;
}
