// SPDX-License-Identifier: GPL-2.0-or-later
// Queues with a lock each, of a multiple of the line's size, which begin in the middle of lines: that some threads take from others' queues is
// no reason to leave them there.
// EXPECT: FalseSharing 'heap block workers of' 'Align heap block workers to 64 bytes: its elements of 128 bytes begin in the middle of lines' unsteady
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

struct
#if defined(MENDED)
    alignas(64)
#endif
    Worker {
    std::mutex lock;
    std::deque<int> jobs;
    long executed = 0;
};

constexpr int kThreads = 4, kJobs = 2000;
static std::vector<Worker> workers(kThreads);
alignas(64) static std::atomic<int> remaining{kJobs};

static bool take(Worker& from, bool steals, int* job) {
    std::lock_guard<std::mutex> guard(from.lock);
    if (from.jobs.empty()) return false;
    *job = steals ? from.jobs.front() : from.jobs.back();
    steals ? from.jobs.pop_front() : from.jobs.pop_back();
    return true;
}

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static void work(int self) {
    while (remaining.load(std::memory_order_relaxed) > 0) {
        int job = 0;
        bool found = take(workers[self], false, &job);
        for (int i = 1; !found && i < kThreads; ++i) found = take(workers[(self + i) % kThreads], true, &job);
        if (!found) {
            std::this_thread::yield();
            continue;
        }
        volatile int result = fibonacci(job);
        (void)result;
        ++workers[self].executed;
        remaining.fetch_sub(1, std::memory_order_relaxed);
    }
}

int main() {
    for (int i = 0; i < kJobs; ++i) workers[i % kThreads].jobs.push_back(3 + i % 8);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
    return 0;
}
