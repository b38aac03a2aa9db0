// SPDX-License-Identifier: GPL-2.0-or-later
//
// Messages with some thousand instructions of work each go through one queue, and their results come back under
// another lock; then dozens of threads do a little work and end. All of this is communication at a normal rate.
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

constexpr int kWorkers = 4, kMessages = 1500, kLength = 64, kWork = 1500;

class Queue {
public:
    void push(std::vector<int> message) {
        {
            std::lock_guard<std::mutex> hold(lock_);
            messages_.push(std::move(message));
        }
        changed_.notify_one();
    }
    void close() {
        {
            std::lock_guard<std::mutex> hold(lock_);
            closed_ = true;
        }
        changed_.notify_all();
    }
    bool pop(std::vector<int>& message) {
        std::unique_lock<std::mutex> hold(lock_);
        changed_.wait(hold, [this] { return closed_ || !messages_.empty(); });
        if (messages_.empty()) return false;
        message = std::move(messages_.front());
        messages_.pop();
        return true;
    }

private:
    std::mutex lock_;
    std::condition_variable changed_;
    std::queue<std::vector<int>> messages_;
    bool closed_ = false;
};

long work_on(const std::vector<int>& message) {
    long sum = 0;
    for (int i = 0; i < kWork; ++i) sum += message[static_cast<std::size_t>(i) % message.size()] ^ i;
    return sum;
}

}  // namespace

int main() {
    Queue queue;
    std::mutex lock;
    std::vector<long> results;
    std::vector<std::thread> workers;
    for (int t = 0; t < kWorkers; ++t)
        workers.emplace_back([&] {
            std::vector<int> message;
            std::vector<long> mine;
            while (queue.pop(message)) mine.push_back(work_on(message));
            std::lock_guard<std::mutex> hold(lock);
            results.insert(results.end(), mine.begin(), mine.end());
        });
    for (int i = 0; i < kMessages; ++i) queue.push(std::vector<int>(kLength, i));
    queue.close();
    for (std::thread& worker : workers) worker.join();
    long sum = 0;
    for (long result : results) sum += result;
    for (int round = 0; round < 25; ++round) {
        std::vector<std::future<long>> later;
        for (int t = 0; t < kWorkers; ++t)
            later.push_back(std::async(std::launch::async, work_on, std::vector<int>(kLength, t)));
        for (auto& future : later) sum += future.get();
    }
    std::printf("%zu %ld\n", results.size(), sum);
}
