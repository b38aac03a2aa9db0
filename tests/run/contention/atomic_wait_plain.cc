// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: without XML, as a user runs it, the model loses no hand-over of std::atomic::wait
// COMPILE: gcc -O2 -std=c++20 -pthread
// XML: no
// ALSO: --leak-check=no
// ALSO: --leak-check=summary
// COUNTS: modelled watched misses=200 cold=1 invalidations=199 when=!aarch64
// The first ones may be lost on ARM64, as in atomic_wait.cc: then two pieces of work overlap, at most twice.
// COUNTS: modelled watched misses=200..400 cold=1 invalidations=199..400 when=aarch64
#include <atomic>

#include "workers.h"

alignas(64) long watched[8];
alignas(64) std::atomic<int> turn{0};
alignas(64) char end[64];

static void work(int index) {
    for (int round = 0; round < 100; ++round) {
        for (int seen = turn.load(); seen % 2 != index; seen = turn.load()) turn.wait(seen);
        for (int i = 0; i < 50; ++i) INCREMENT(watched[i % 8]);
        turn.fetch_add(1);
        turn.notify_all();
    }
}

int main() {
    run_threads(2, work);
    return 0;
}
