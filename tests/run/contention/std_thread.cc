// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: creating and joining a std::thread orders it with its creator's accesses before and after
// COMPILE: gcc clang -O0 -O2 -std=c++17 -pthread
// SET: ROUNDS=10 WRITES=2000
// SET: ROUNDS=35 WRITES=17
// ALSO: --interleave=100
// COUNTS: modelled watched misses=2*ROUNDS cold=1 invalidations=2*ROUNDS-1
// COUNTS: observed watched misses=2*ROUNDS cold=1 invalidations=2*ROUNDS-1
// COUNTS: modelled total threads=ROUNDS+1
// EXPECT: nothing
#include <thread>

#include "workers.h"

alignas(64) long watched[8];

static void add() {
    for (int i = 0; i < WRITES; ++i) INCREMENT(watched[i % 8]);
}

int main() {
    for (int round = 0; round < ROUNDS; ++round) {
        add();
        std::thread([] { add(); }).join();
    }
    return 0;
}
