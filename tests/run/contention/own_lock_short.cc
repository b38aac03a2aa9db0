// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: what is done shortly before a lock of the program's own is given is under the lock, though code and the giving
// PROVES: exchange (a store of sequential consistency, or of any order in code that is not optimised) are one superblock;
// PROVES: and the lock is known though it was held when its line was first shared
// ARCH: x86_64
// COMPILE: gcc clang -O0 -O2 -pthread -std=c++20
// SET: TICKET=0
// SET: TICKET=1
// Three of four turns find the line with another thread. Before, a ninth to all of these were missing.
// COUNTS: modelled table misses=4500..6600 invalidations=4500..6600
// SHARING: anything
#include <atomic>

#include "workers.h"

constexpr int kThreads = 4, kRounds = 2000;
static LINE_ALIGNED long table[64];
static LINE_ALIGNED struct {
    std::atomic<unsigned> word{0}, serving{0};
    void take() {
        if (TICKET) {
            const unsigned own = word.fetch_add(1);
            while (serving.load() != own) {
            }
        } else {
            while (word.exchange(1) != 0)
                while (word.load() != 0) {
                }
        }
    }
    void give() {
        if (TICKET)
            serving.store(serving.load() + 1);
        else
            word.exchange(0);
    }
} lock;

static void work(int index) {
    long number = index;
    for (int round = 0; round < kRounds; ++round) {
        for (int i = 0; i < 50; ++i) number = number * 1103515245 + 12345;
        lock.take();
        ++table[number >> 16 & 63];
        lock.give();
    }
}

int main() {
    run_together(kThreads, work);
    return 0;
}
