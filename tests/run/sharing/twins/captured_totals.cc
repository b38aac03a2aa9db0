// SPDX-License-Identifier: GPL-2.0-or-later
// Threads of C++ count in an array that their lambdas capture.
// EXPECT: FalseSharing totals 'Pad each element of totals.* .4 bytes. to 64'
#include <thread>
#include <vector>

#include "../../include/workers.h"
#ifdef MENDED
enum { STEP = 16 };
#else
enum { STEP = 1 };
#endif

int main() {
    alignas(LINE) volatile int totals[4 * STEP] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&totals, t] {
            for (int i = 0; i < 4000; ++i) {
                pass_time(10);
                totals[t * STEP] = totals[t * STEP] + i % 3;
            }
        });
    for (std::thread& thread : threads) thread.join();
    return totals[0] == 0;
}
