// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: C++20's semaphores hand a slot over in order
// COMPILE: gcc -O0 -O2 -std=c++20 -pthread
// SET: ITEMS=800
// SET: ITEMS=111
// COUNTS: modelled slot misses=ITEMS+1~10% invalidations=ITEMS-1~10% cold=1
// COUNTS: observed slot misses=ITEMS+1 invalidations=ITEMS-1 cold=1
// SHARING: anything
#include <semaphore>

#include "workers.h"

alignas(64) long slot[8];
alignas(64) std::binary_semaphore empty{1};
alignas(64) std::binary_semaphore full{0};
alignas(64) char end[64];

static void work(int index) {
    for (int i = 0; i < ITEMS; ++i) {
        if (index == 0) {
            empty.acquire();
            STORE(slot[1], i);
            full.release();
        } else {
            full.acquire();
            NEED_TRUE(LOAD(slot[1]) == i);
            empty.release();
        }
    }
}

int main() {
    run_threads(2, work);
    return 0;
}
