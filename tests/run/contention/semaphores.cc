// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: who takes a token of a semaphore goes on behind the post that it is from, not behind later ones, and taking
// PROVES: lets nobody go on: of C++20's semaphores, and of the program's own that yield, spin with a hint or sleep
// COMPILE: gcc clang -O2 -pthread -std=c++20
// ARGS: --sharing-floor=1000000000
// SET: SEMAPHORE=1 USE=1 WORK=120000 LEAST=85000
// SET: SEMAPHORE=2 USE=1 WORK=120000 LEAST=85000
// SET: SEMAPHORE=3 USE=1 WORK=120000 LEAST=85000
// SET: SEMAPHORE=4 USE=1 WORK=120000 LEAST=104000
// SET: SEMAPHORE=1 USE=2 WORK=128000 LEAST=114000
// SET: SEMAPHORE=2 USE=2 WORK=128000 LEAST=114000
// SET: SEMAPHORE=3 USE=2 WORK=128000 LEAST=114000
// SET: SEMAPHORE=4 USE=2 WORK=128000 LEAST=114000
// WORK is increments of words of one line, of which LEAST miss. Where threads worked one after the other few would miss.
// COUNTS: modelled counts misses=LEAST..WORK
// EXPECT: nothing
#include <sched.h>

#include <atomic>
#include <semaphore>

#include "workers.h"

#if SEMAPHORE == 1
using Semaphore = std::counting_semaphore<>;
#else
class Semaphore {
public:
    explicit Semaphore(int tokens) : tokens_(tokens) {}
    void release() {
        tokens_.fetch_add(1);
#if SEMAPHORE == 4
        tokens_.notify_one();
#endif
    }
    void acquire() {
        for (int seen = tokens_.load();; seen = tokens_.load()) {
            if (seen > 0) {
                if (tokens_.compare_exchange_strong(seen, seen - 1)) return;
                continue;
            }
#if SEMAPHORE == 2
            sched_yield();
#elif SEMAPHORE == 3
            PAUSE();
#else
            tokens_.wait(seen);
#endif
        }
    }

private:
    std::atomic<int> tokens_;
};
#endif

constexpr int kThreads = 4;
static LINE_ALIGNED long counts[LINE / sizeof(long)];
static void work(int index, int times) {
    for (int i = 0; i < times; ++i) INCREMENT(counts[index]);
}
struct LINE_ALIGNED Own {
    Semaphore tokens{0};
};
static Own own[kThreads];

#if USE == 1  // each posts to all others, and waits for the posts of all others
static void run(int index) {
    for (int round = 0; round < 30; ++round) {
        work(index, 1000);
        for (int other = 0; other < kThreads; ++other)
            if (other != index) own[other].tokens.release();
        for (int other = 1; other < kThreads; ++other) own[index].tokens.acquire();
    }
}
#else  // a line of stages, each of which is fed by the one before
static void run(int index) {
    for (int item = 0; item < 80; ++item) {
        if (index != 0) own[index].tokens.acquire();
        work(index, 400);
        if (index + 1 != kThreads) own[index + 1].tokens.release();
    }
}
#endif

int main() {
    run_together(kThreads, run);
    return 0;
}
