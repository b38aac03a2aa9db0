// SPDX-License-Identifier: GPL-2.0-or-later
//
// Threads take tasks by an atomic counter. Each task has a result with two members of one size, so what a thread has of two
// results that lie side by side looks like a row of numbers.
// EXPECT: FalseSharing results 'Pad each element of results \(8 bytes\) to 64 .*struct Result'
#include <atomic>
#include <thread>
#include <vector>

constexpr int kThreads = 4, kTasks = 48, kSteps = 1500;

struct
#ifdef MENDED
    alignas(64)
#endif
        Result {
    int hits = 0, misses = 0;
};

int main() {
    std::vector<Result> results(kTasks);
    alignas(64) std::atomic<int> next = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            for (int task; (task = next++) < kTasks;)
                for (int step = 0; step < kSteps; ++step) {
                    ++((step * 7 + task) % 3 == 0 ? results[task].hits : results[task].misses);
                    asm volatile("" ::: "memory");
                }
        });
    for (std::thread &thread : threads) thread.join();
    int sum = 0;
    for (const Result &result : results) sum += result.hits + result.misses;
    return sum != kTasks * kSteps;
}
