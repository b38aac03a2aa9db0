// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread -std=c++20
// C++20 as programs use it: latches, barriers, semaphores, jthread, futures, lock-free containers, objects' lives.
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {
using namespace std::chrono_literals;
constexpr int kThreads = 3;
int total, results[8];
bool made;
std::string text;
std::mutex m;

template <typename F>
void on_threads(F f) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back(f, t);
    for (std::thread& thread : threads) thread.join();
}

template <typename T>
class Channel {
public:
    void send(T value) {
        {
            std::lock_guard held(lock_);
            values_.push_back(std::move(value));
        }
        filled_.notify_one();
    }
    T receive() {
        std::unique_lock held(lock_);
        filled_.wait(held, [this] { return !values_.empty(); });
        T value = std::move(values_.front());
        values_.pop_front();
        return value;
    }

private:
    std::mutex lock_;
    std::condition_variable filled_;
    std::deque<T> values_;
};

struct Node {
    int value;
    Node* next;
};
class Stack {  // of Treiber
public:
    void push(int value) {
        Node* node = new Node{value, head_.load(std::memory_order_relaxed)};
        while (!head_.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
        }
    }
    Node* take_all() { return head_.exchange(nullptr, std::memory_order_acquire); }

private:
    std::atomic<Node*> head_{nullptr};
};

class Counter {
public:
    void add(int by) {
        std::lock_guard held(lock_);
        sum_ += by;  // race(7): sum
    }
    int sum() const {
#if CASE == 7  // a reader without the lock
        return sum_;  // race: sum
#else
        std::lock_guard held(lock_);
        return sum_;
#endif
    }

private:
    mutable std::mutex lock_;
    int sum_ = 0;
};

class Worker {
public:
    virtual ~Worker() = default;  // race(33): worker
    virtual int job() { return 1; }
    int done = 0;
};

class SpinLock {
public:
    void lock() { while (flag_.test_and_set(std::memory_order_acquire)) std::this_thread::yield(); }
    void unlock() { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};
}  // namespace

int main() {
#if CASE == 1  // a latch
    std::latch ready(kThreads);
    on_threads([&](int t) {
        results[t] = t;
        ready.arrive_and_wait();
        results[t + 4] = results[(t + 1) % kThreads];
    });
#elif CASE == 2  // that is counted down before the value is there
    std::latch ready(1);
    on_threads([&](int t) {
        if (t == 0) {
            ready.count_down();
            total = 5;  // race: total
        } else {
            ready.wait();
            results[t] = total;  // race: total
        }
    });
#elif CASE == 3  // a barrier with a function at its end
    std::barrier phases(kThreads, []() noexcept { total += results[0] + results[1] + results[2]; });
    on_threads([&](int t) {
        for (int i = 0; i < 4; ++i) {
            results[t] = i;
            phases.arrive_and_wait();
        }
    });
#elif CASE == 4  // who arrives does not wait
    std::barrier phases(kThreads);
    on_threads([&](int t) {
        results[t] = t;  // race: results
        (void)phases.arrive();
        results[t + 4] = results[(t + 1) % kThreads];  // race: results
    });
#elif CASE == 5  // a thread that is asked to stop
    std::jthread thread([](std::stop_token asked) {
        while (!asked.stop_requested()) std::this_thread::yield();
        total = results[0];
    });
    results[0] = 4;
    thread.request_stop();
    thread.join();
#elif CASE == 6  // written after the request
    std::jthread thread([](std::stop_token asked) {
        while (!asked.stop_requested()) std::this_thread::yield();
        std::this_thread::sleep_for(3ms);
        total = results[0];  // race: result
    });
    thread.request_stop();
    results[0] = 4;  // race: result
    thread.join();
#elif CASE == 7 || CASE == 8
    Counter counter;
    on_threads([&](int t) {
        counter.add(t);
        results[t] = counter.sum();  // race(7): sum
    });
#elif CASE == 9  // a semaphore as a lock
    std::binary_semaphore one{1};
    on_threads([&](int t) {
        for (int i = 0; i < 10; ++i) {
            one.acquire();
            total += t;
            one.release();
        }
    });
#elif CASE == 10  // that two may have
    std::counting_semaphore<2> two{2};
    on_threads([&](int t) {
        for (int i = 0; i < 10; ++i) {
            two.acquire();
            total += t;  // race: total maybe
            two.release();
        }
    });
#elif CASE == 11  // what a future brings
    std::future<int> answer = std::async(std::launch::async, [] {
        total = 3;
        return 4;
    });
    results[0] = answer.get() + total;
#elif CASE == 12  // looked at before
    std::future<int> answer = std::async(std::launch::async, [] {
        total = 3;  // race: total
        return 4;
    });
    results[0] = total;  // race: total
    results[1] = answer.get();
#elif CASE == 13  // several wait for one
    std::promise<void> go;
    std::shared_future<void> gone = go.get_future().share();
    std::thread first([=] { gone.wait(); results[0] = total; });
    std::thread second([=] { gone.wait(); results[1] = total; });
    total = 9;
    go.set_value();
    first.join();
    second.join();
#elif CASE == 14  // objects through a channel
    Channel<std::unique_ptr<std::vector<int>>> channel;
    std::thread producer([&] {
        for (int i = 0; i < 5; ++i) channel.send(std::make_unique<std::vector<int>>(3, i));
    });
    for (int i = 0; i < 5; ++i) total += channel.receive()->at(1);
    producer.join();
#elif CASE == 15  // the producer keeps a pointer to what it has sent
    Channel<std::shared_ptr<std::vector<int>>> channel;
    std::thread producer([&] {
        for (int i = 0; i < 5; ++i) {
            auto sent = std::make_shared<std::vector<int>>(3, i);
            channel.send(sent);
            sent->data()[1] = 7;  // race: sent
        }
    });
    for (int i = 0; i < 5; ++i) total += channel.receive()->data()[1];  // race: sent
    producer.join();
#elif CASE == 16  // a stack without locks
    Stack stack;
    on_threads([&](int t) {
        for (int i = 0; i < 10; ++i) stack.push(t * i);
        for (Node* node = stack.take_all(); node != nullptr;) {
            results[t] += node->value;
            Node* next = node->next;
            delete node;
            node = next;
        }
    });
#elif CASE == 17  // changed after it was published
    std::atomic<Node*> shared{nullptr};
    on_threads([&](int t) {
        if (t == 0) {
            Node* node = new Node{1, nullptr};
            shared.store(node, std::memory_order_release);
            node->value = 2;  // race: node
        } else {
            Node* node;
            while ((node = shared.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
            results[t] = node->value;  // race: node
        }
    });
#elif CASE == 18  // a lock by atomic_flag, with lock_guard
    SpinLock lock;
    on_threads([&](int t) {
        for (int i = 0; i < 10; ++i) {
            std::lock_guard held(lock);
            total += t;
        }
    });
#elif CASE == 19  // a table that is read while it grows
    std::map<int, int> table{{1, 1}};
    std::shared_mutex lock;
    on_threads([&](int t) {
        if (t == 0) {
            std::unique_lock held(lock);
            table[5] = 5;
        } else {
            std::shared_lock held(lock);
            results[t] = table.count(5);
        }
    });
#elif CASE == 20  // one sum of two vectors, each thread has a part
    std::vector<int> numbers(90, 1);
    std::vector<int> sums(kThreads);
    on_threads([&](int t) { sums[t] = std::accumulate(numbers.begin() + t * 30, numbers.begin() + t * 30 + 30, 0); });
    total = std::accumulate(sums.begin(), sums.end(), 0);
#elif CASE == 21  // bits of one vector
    std::vector<bool> bits(64);
    on_threads([&](int t) { bits[t] = true; });  // race: bits
#elif CASE == 22  // a plain flag under a mutex that only one side takes
    on_threads([&](int t) {
        if (t == 0) {
            std::lock_guard held(m);
            made = true;  // race: made
        } else {
            results[t] = made;  // race: made
        }
    });
#elif CASE == 23  // atomic_ref
    on_threads([&](int t) {
        for (int i = 0; i < 10; ++i) std::atomic_ref<int>(total).fetch_add(t);
    });
#elif CASE == 24  // and a plain access beside it
    on_threads([&](int t) {
        if (t == 0)
            total += 1;  // race: total maybe
        else
            std::atomic_ref<int>(total).fetch_add(t);  // race: total
    });
#elif CASE == 25  // notified
    std::atomic<int> state{0};
    on_threads([&](int t) {
        if (t == 0) {
            total = 8;
            state = 1;
            state.notify_all();
        } else {
            state.wait(0);
            results[t] = total;
        }
    });
#elif CASE == 26  // a local variable of a function that has gone on
    int local = 1;
    std::thread thread([&local] { local++; });  // race: local
    local += 2;  // race: local
    thread.join();
    total = local;
#elif CASE == 27  // once, by a static object and by call_once
    static std::once_flag once;
    on_threads([&](int t) {
        static const std::vector<int> kTable(5, 3);
        std::call_once(once, [] { total = 6; });
        results[t] = kTable[2] + total;
    });
#elif CASE == 28  // a flag that is set before what it tells of
    std::atomic<bool> ready{false};
    on_threads([&](int t) {
        if (t == 0) {
            ready = true;
            total = 6;  // race: total
        } else {
            while (!ready) std::this_thread::yield();
            std::this_thread::sleep_for(2ms);
            results[t] = total;  // race: total
        }
    });
#elif CASE == 29  // packaged tasks on a thread of its own
    std::packaged_task<int(int)> task([](int n) { return n + total; });
    std::future<int> result = task.get_future();
    total = 1;
    std::thread thread(std::move(task), 5);
    thread.detach();
    results[0] = result.get();
#elif CASE == 30  // the thread is detached, its value is read after a while
    std::thread([] { total = 5; }).detach();  // race: total
    std::this_thread::sleep_for(10ms);
    results[0] = total;  // race: total
#elif CASE == 31  // two locks at once
    std::mutex other;
    on_threads([&](int t) {
        for (int i = 0; i < 10; ++i) {
            std::scoped_lock held(t == 0 ? m : other, t == 0 ? other : m);
            total += t;
        }
    });
#elif CASE == 32  // words are counted by hash, one table for all
    std::unordered_map<std::string, int> counts{{"a", 0}, {"b", 0}};
    on_threads([&](int) { counts.find("a")->second++; });  // race: counts
#elif CASE == 33  // an object goes while its thread works for it
    Worker* worker = new Worker;
    std::thread thread([worker] {
        std::this_thread::sleep_for(5ms);
        results[0] = worker->done;  // race: worker
    });
    delete worker;  // race: worker
    thread.join();
#elif CASE == 34  // shared pointers: the last one deletes
    auto shared = std::make_shared<std::vector<int>>(20, 1);
    on_threads([copy = std::move(shared)](int t) mutable {
        auto mine = copy;
        results[t] = (*mine)[t];
        mine.reset();
    });
#elif CASE == 35  // an element is taken out and deleted under the lock, others look for it there
    std::map<int, std::unique_ptr<Worker>> workers;
    for (int i = 0; i < 9; ++i) workers[i] = std::make_unique<Worker>();
    on_threads([&](int t) {
        for (int i = 0; i < 9; ++i) {
            std::lock_guard held(m);
            if (i % kThreads == t) workers.erase(i);
            if (auto found = workers.find(i); found != workers.end()) total += found->second->job();
        }
    });
#endif
    std::printf("%d %d %d %s %d\n", total,  // race(30): total
                 results[0], results[5], text.c_str(), made);
}
