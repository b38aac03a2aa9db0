// SPDX-License-Identifier: GPL-2.0-or-later
//
// Known faults of a C++ program: in templates that are inlined, in lambdas, and in threads that take jobs in whatever
// order they come. The nights change nothing of it.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace work {

template <typename T>
class Queue {
public:
    void push(T job) {
        const std::lock_guard<std::mutex> guard(mutex_);
        jobs_.push_back(std::move(job));
        ready_.notify_one();
    }
    bool pop(T& job) {
        std::unique_lock<std::mutex> guard(mutex_);
        ready_.wait(guard, [this] { return closed_ || !jobs_.empty(); });
        if (jobs_.empty()) return false;
        job = std::move(jobs_.front());
        jobs_.pop_front();
        return true;
    }
    void close() {
        const std::lock_guard<std::mutex> guard(mutex_);
        closed_ = true;
        ready_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<T> jobs_;
    bool closed_ = false;
};

struct Tally {
    long done = 0, sum = 0;
};
Tally tallies[8];

template <typename Container>
inline long past_the_end(const Container& values) {
    return *(values.data() + values.size());  // FAULT
}

template <typename F>
struct Node {
    F call;
    std::shared_ptr<Node> self;
};

template <typename F>
void lose(F call) {
    auto node = std::make_shared<Node<F>>(Node<F>{call, nullptr});
    node->self = node;  // FAULT: a cycle
}

}  // namespace work

int main(int count, char** arguments) {
    const int workers = count > 1 ? std::atoi(arguments[1]) : 3;
    work::Queue<std::function<long()>> queue;
    std::vector<std::thread> threads;
    for (int id = 0; id < workers; ++id)
        threads.emplace_back([&queue, id] {
            std::function<long()> job;
            while (queue.pop(job)) {
                for (int i = 0; i < 20; ++i) work::tallies[id].sum += job();
                work::tallies[id].done++;
            }
        });
    for (int i = 0; i < 300; ++i)
        queue.push([i] {
            std::map<std::string, int> words{{std::to_string(i), i}};
            return static_cast<long>(words.size());
        });
    queue.close();
    for (std::thread& thread : threads) thread.join();
    const std::vector<long> values(5, 1);
    const auto uninitialised = std::make_unique<int[]>(0);
    volatile long seen = work::past_the_end(values);
    work::lose([](int x) { return x + 1; });
    auto* raw = static_cast<int*>(std::malloc(sizeof(int)));
    if (*raw == 77) std::puts("unlikely");  // FAULT
    std::free(raw);
    (void)seen;
    (void)uninitialised;
    long done = 0;
    for (const work::Tally& tally : work::tallies) done += tally.done;
    return done == 300 ? 0 : 1;
}
