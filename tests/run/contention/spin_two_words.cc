// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: who spins in a barrier whose loop looks at several words, or at one word twice, goes on behind the store that
// PROVES: let it out, not behind what others did for the next round: the threads work at the same time
// COMPILE: gcc clang -O1 -O2 -std=c++17 -pthread
// ARGS: --sharing-floor=1000000000
// SET: LOOP=0 PAUSES=0
// SET: LOOP=1 PAUSES=0
// SET: LOOP=2 PAUSES=0
// SET: LOOP=0 PAUSES=1
// SET: LOOP=1 PAUSES=1
// COUNTS: modelled watched events>=2*4*100*200*9/10
// EXPECT: nothing
#include <atomic>

#include "workers.h"

constexpr int kThreads = 4, kRounds = 100, kWrites = 200;

alignas(LINE) static long watched[LINE / sizeof(long)];
alignas(LINE) static std::atomic<int> arrived;
alignas(LINE) static std::atomic<int> phase;

static bool is_closed(int round) { return phase.load(std::memory_order_acquire) <= round; }
static bool any_inside() { return arrived.load(std::memory_order_relaxed) != 0; }

static bool waits(int round) {
    if (LOOP == 0) return is_closed(round) && arrived.load(std::memory_order_relaxed) <= kThreads;
    if (LOOP == 1) return any_inside() && is_closed(round);
    return is_closed(round) || is_closed(round);
}

static void work(int index) {
    for (int round = 0; round < kRounds; ++round) {
        for (int i = 0; i < kWrites; ++i) INCREMENT(watched[index]);
        if (arrived.fetch_add(1) == kThreads - 1) {
            arrived = 0;
            phase.store(round + 1, std::memory_order_release);
        } else {
            while (waits(round))
                if (PAUSES) PAUSE();
        }
    }
}

int main() {
    run_threads(kThreads, work);
    return 0;
}
