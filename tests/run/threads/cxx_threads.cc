// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: C++ threads, mutexes, condition variables, atomics, thread_local objects are silent.
// COMPILE: gcc clang -O0 -O2 -pthread
// The threads only compete for a lock, which another analysis reports.
// ARGS: --contention=no
// EXPECT: nothing
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>
#include "case.h"

static thread_local std::string name = "a name that is too long for the small buffer";
static std::mutex lock;
static std::condition_variable filled;
static std::queue<std::string> queue;
static std::atomic<int> sum{0};

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([] {
            for (int n = 0; n < 50; n++) {
                std::unique_lock<std::mutex> hold(lock);
                filled.wait(hold, [] { return !queue.empty(); });
                std::string item = std::move(queue.front());
                queue.pop();
                hold.unlock();
                name += item;
                sum += static_cast<int>(item.size());
            }
        });
    for (int i = 0; i < 200; i++) {
        std::lock_guard<std::mutex> hold(lock);
        queue.push(std::string(static_cast<std::size_t>(i % 40), 'x'));
        filled.notify_one();
    }
    for (auto& t : threads) t.join();
    return sum != 200 / 40 * (39 * 40 / 2);
}
