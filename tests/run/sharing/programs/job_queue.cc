// SPDX-License-Identifier: GPL-2.0-or-later
// A queue of jobs as in servers. Its statistics are one struct that all workers add to, and main waits until the last job
// is done; the workers have counts of their own too, side by side in a vector. The queue's lock and ends are events of the same
// finding, and remain (hidden): how many they are depends on who gets which job. Bytes and done share a line, so whether that
// is more false or more true sharing depends on how often main looks.
// EXPECT: TrueSharing|FalseSharing heap 'Several threads only add to pool->counts_\.done and pool->counts_\.bytes' apart hidden unsteady 'in=Pool pool'
// TELLS: '(True sharing of|False sharing inside) Pool pool of main \(job_queue.cc:\d+\)'
// TELLS: 'Several threads only add to pool->counts_\.done and pool->counts_\.bytes: keep a copy for each thread'
// EXPECT: FalseSharing heap 'Pad each element of pool->workers_ .24 bytes. to 64 .*struct Worker .*To change: Pool::Pool' apart 'in=Worker['
// TELLS: 'Pad each element of pool->workers_ \(24 bytes\) to 64'
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#ifndef MENDED
#define MENDED 0
#endif

struct Task {
    unsigned number;
    std::string text;
};

struct Counts {
    std::atomic<uint64_t> begun{0}, done{0}, bytes{0};
    uint64_t longest = 4096;
};

struct
#if MENDED == 2
    alignas(64)
#endif
        Worker {
    uint64_t tasks = 0, sum = 0;
    uint32_t odd = 0;
};

class Pool {
public:
    explicit Pool(unsigned workers) : workers_(workers) {
        for (unsigned i = 0; i < workers; ++i) threads_.emplace_back([this, i] { run(i); });
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (auto& each : threads_) each.join();
    }
    void add(Task task) {
        if (task.text.size() > counts_.longest) return;
        {
            std::lock_guard<std::mutex> guard(mutex_);
            tasks_.push_back(std::move(task));
        }
        counts_.begun.fetch_add(1, std::memory_order_relaxed);
        wake_.notify_one();
    }
    uint64_t done() const {
#if MENDED == 1
        uint64_t sum = 0;
        for (const Own& each : own_) sum += each.done;
        return sum;
#else
        return counts_.done;
#endif
    }

private:
    void run(unsigned me) {
        for (;;) {
            Task task;
            {
                std::unique_lock<std::mutex> guard(mutex_);
                wake_.wait(guard, [this] { return stop_ || !tasks_.empty(); });
                if (tasks_.empty()) return;
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            work(task, workers_[me], me);
        }
    }
    void work(const Task& task, volatile Worker& mine, [[maybe_unused]] unsigned me) {
#if MENDED == 1
        std::atomic<uint64_t>&bytes = own_[me].bytes, &done = own_[me].done;
#else
        std::atomic<uint64_t>&bytes = counts_.bytes, &done = counts_.done;
#endif
        for (const unsigned char c : task.text) {
            mine.sum = mine.sum * 131 + c;
            if (mine.sum & 1) mine.odd = mine.odd + 1;
            bytes.fetch_add(1, std::memory_order_relaxed);
        }
        mine.tasks = mine.tasks + 1;
        done.fetch_add(1, std::memory_order_relaxed);
    }

    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Task> tasks_;
    bool stop_ = false;
    Counts counts_;
    std::vector<Worker> workers_;
#if MENDED == 1
    struct alignas(64) Own {
        std::atomic<uint64_t> done{0}, bytes{0};
    };
    Own own_[4];
#endif
};

int main() {
    constexpr unsigned kTasks = 200;
    Pool* pool = new Pool(4);
    for (unsigned i = 0; i < kTasks; ++i) pool->add({i, std::string(200 + i % 300, static_cast<char>('a' + i % 26))});
    while (pool->done() < kTasks) std::this_thread::yield();
    delete pool;
    return 0;
}
