// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a thread that waits in a loop without pause, yield or sleep takes no time and does no work, however the loop is
// PROVES: written: barriers of the program's own let the threads meet, and the data between them goes back and forth in
// PROVES: each round only
// COMPILE: gcc clang -O0 -O2 -pthread -std=c++20
// ARGS: --sharing-floor=1000000000
// SET: WAIT=1
// SET: WAIT=2
// SET: WAIT=3
// SET: WAIT=4
// SET: WAIT=5
// COUNTS: modelled watched misses=2*40 cold=1 invalidations=2*40-1
// EXPECT: nothing
#include <atomic>
#include <thread>

#include "workers.h"

constexpr int kRounds = 40, kWrites = 500, kThreads = 2;
static LINE_ALIGNED long watched[LINE / sizeof(long)];
struct LINE_ALIGNED Word {
    std::atomic<int> word;
};
static Word turn;
static volatile int plain;

__attribute__((noinline)) static bool is_turn_of(const std::atomic<int>& word, int index) {
    return word.load(std::memory_order_acquire) == index;
}

static void wait_for(int index) {
#if WAIT == 1  // one look
    while (turn.word.load() != index) {
    }
#elif WAIT == 2  // a function, and counters on the stack and in a register
    volatile int looks = 0;
    long more = 0;
    do {
        looks = looks + 1;
        ++more;
    } while (!is_turn_of(turn.word, index));
    if (more < 0) plain = 0;
#elif WAIT == 3  // a loop that passes the time until the next look, each time longer
    for (int delay = 1; !is_turn_of(turn.word, index); delay = delay < 32 ? delay * 2 : delay)
        for (volatile int i = 0; i < delay; i = i + 1) {
        }
#elif WAIT == 4  // two ways out, and a limit that is never reached
    for (int i = 0; i < 100000000; ++i) {
        if (turn.word.load(std::memory_order_relaxed) == index) break;
        if (plain != 0) return;
    }
    std::atomic_thread_fence(std::memory_order_acquire);
#else  // through a pointer that is loaded each time
    const std::atomic<int>* volatile word = &turn.word;
    while (word->load() != index) {
    }
#endif
}

static void work(int index) {
    for (int round = 0; round < kRounds; ++round) {
        wait_for(index);
        for (int i = 0; i < kWrites; ++i) INCREMENT(watched[i % 8]);
        turn.word.store(!index);
    }
}

int main() { run_threads(kThreads, work); }
