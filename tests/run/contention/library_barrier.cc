// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: what std::barrier keeps for itself nobody can copy or change less often: threads are to wait less
// COMPILE: gcc -O1 -std=c++20 -pthread
// ARGS: --leak-check=no
// SET: THREADS=12 STEPS=40
// SHARING: TrueSharing names="__w" text="Threads take turns or wait for each other here"
// SHARING: TrueSharing names="sync" text="(sync|stack)" maybe=yes
// SHARING: anything
#include <barrier>
#include <thread>
#include <vector>

int main() {
    std::barrier<> sync(THREADS);
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; ++i)
        threads.emplace_back([&] {
            for (int step = 0; step < STEPS; ++step) sync.arrive_and_wait();
        });
    for (std::thread& thread : threads) thread.join();
    return 0;
}
