// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread -std=c++17
// C++: atomics by role, locks, futures, shared pointers, containers, static locals.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace {
constexpr int kTimes = 200;
int plain, results[8];
std::atomic<int> number{0}, turn{0};
std::atomic<bool> ready{false};
std::mutex m;
std::shared_mutex shared;
std::condition_variable changed;

template <typename F>
void on_threads(int count, F f) {
    std::vector<std::thread> threads;
    for (int t = 0; t < count; ++t) threads.emplace_back(f, t);
    for (std::thread& thread : threads) thread.join();
}

struct Account {
    std::mutex lock;
    long money = 0;
    void pay(long sum) {
        std::lock_guard<std::mutex> held(lock);
        money += sum;
    }
};

int& lazy() {
    static int value = plain + 42;
    return value;
}
}  // namespace

int main() {
    std::vector<int> numbers(400, 1);
    std::map<int, int> table;
    auto text = std::make_shared<std::string>("text");
    Account account;
#if CASE == 1  // published with release and acquire
    on_threads(2, [&](int t) {
        if (t == 0) {
            plain = 5;
            ready.store(true, std::memory_order_release);
        } else if (ready.load(std::memory_order_acquire)) {
            results[1] = plain;
        }
    });
#elif CASE == 2  // beside a relaxed counter
    on_threads(4, [&](int) {
        number.fetch_add(1, std::memory_order_relaxed);
        plain++;  // race: plain
    });
#elif CASE == 3
    on_threads(4, [&](int) {
        for (int i = 0; i < kTimes; ++i) number.fetch_add(1, std::memory_order_relaxed);
    });
#elif CASE == 4
    on_threads(4, [&](int) {
        for (int i = 0; i < kTimes; ++i) account.pay(1);
    });
#elif CASE == 5  // a reader without the lock
    on_threads(4, [&](int t) {
        m.lock();
        plain++;  // race: plain
        m.unlock();
        asm volatile("" ::"r"(plain));  // race: plain
    });
#elif CASE == 6  // push_back by all threads
    std::vector<int> all;
    all.reserve(1000);
    on_threads(4, [&](int t) {
        all.push_back(t);  // race: all
    });
#elif CASE == 7
    on_threads(4, [&](int t) {
        for (int i = t; i < 400; i += 4) numbers[i] = t;
    });
#elif CASE == 8  // shared pointers counted, their text only read
    on_threads(4, [text](int t) {
        std::shared_ptr<std::string> own = text;
        results[t] = static_cast<int>(own->size());
    });
#elif CASE == 9
    on_threads(4, [&](int t) {
        std::lock_guard<std::mutex> held(m);
        table[t % 2] += t;
    });
#elif CASE == 10  // futures
    std::future<int> sum = std::async(std::launch::async, [&] {
        plain = 3;
        return std::accumulate(numbers.begin(), numbers.end(), 0);
    });
    results[0] = sum.get() + plain;
#elif CASE == 11  // read before get()
    std::future<void> done = std::async(std::launch::async, [&] {
        plain = 3;  // race: plain maybe
    });
    results[0] = plain;  // race: plain maybe
    done.get();
#elif CASE == 12  // a queue with a condition
    std::queue<int> queue;
    on_threads(2, [&](int t) {
        for (int i = 0; i < kTimes; ++i)
            if (t == 0) {
                std::lock_guard<std::mutex> held(m);
                queue.push(i);
                changed.notify_one();
            } else {
                std::unique_lock<std::mutex> held(m);
                changed.wait(held, [&] { return !queue.empty(); });
                queue.pop();
            }
    });
#elif CASE == 13  // readers and a writer
    on_threads(4, [&](int t) {
        if (t == 0) {
            std::unique_lock<std::shared_mutex> held(shared);
            plain = 4;
        } else {
            std::shared_lock<std::shared_mutex> held(shared);
            results[t] = plain;
        }
    });
#elif CASE == 14  // double-checked with an atomic
    on_threads(4, [&](int t) {
        if (!ready.load(std::memory_order_acquire)) {
            std::lock_guard<std::mutex> held(m);
            if (!ready.load(std::memory_order_relaxed)) {
                plain = 9;
                ready.store(true, std::memory_order_release);
            }
        }
        results[t] = plain;
    });
#elif CASE == 15  // double-checked without one
    static int made;
    on_threads(4, [&](int t) {
        if (made == 0) {  // race: made
            std::lock_guard<std::mutex> held(m);
            if (made == 0) {
                plain = 9;  // race: plain maybe
                made = 1;   // race: made
            }
        }
        results[t] = plain;  // race: plain maybe
    });
#elif CASE == 16
    on_threads(4, [&](int t) { results[t] = lazy(); });
#elif CASE == 17  // a flag that spins
    std::atomic_flag lock = ATOMIC_FLAG_INIT;
    on_threads(4, [&](int) {
        for (int i = 0; i < kTimes; ++i) {
            while (lock.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
            plain++;
            lock.clear(std::memory_order_release);
        }
    });
#elif CASE == 18  // turns by an atomic
    on_threads(4, [&](int t) {
        for (int i = 0; i < 20; ++i) {
            while (turn.load(std::memory_order_acquire) % 4 != t) std::this_thread::yield();
            plain++;
            turn.store(turn.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        }
    });
#elif CASE == 19  // a sequence lock
    std::atomic<unsigned> sequence{0};
    std::atomic<int> first{0}, second{0};
    on_threads(3, [&](int t) {
        for (int i = 0; i < kTimes; ++i)
            if (t == 0) {
                sequence.fetch_add(1, std::memory_order_acq_rel);
                first.store(i, std::memory_order_relaxed);
                second.store(i, std::memory_order_relaxed);
                sequence.fetch_add(1, std::memory_order_release);
            } else {
                results[t] = first.load(std::memory_order_relaxed) + second.load(std::memory_order_relaxed);
            }
    });
#elif CASE == 20  // call_once
    static std::once_flag once;
    on_threads(4, [&](int t) {
        std::call_once(once, [] { plain = 6; });
        results[t] = plain;
    });
#elif CASE == 21  // a list that threads push to without a lock
    struct Node {
        Node* next;
        int value;
    };
    std::atomic<Node*> head{nullptr};
    on_threads(4, [&](int t) {
        for (int i = 0; i < 50; ++i) {
            Node* node = new Node{nullptr, t};
            node->next = head.load(std::memory_order_relaxed);
            while (!head.compare_exchange_weak(node->next, node, std::memory_order_release)) {}
        }
    });
    for (Node* node = head.exchange(nullptr); node != nullptr;) {
        Node* next = node->next;
        delete node;
        node = next;
    }
#elif CASE == 22  // a captured local
    int local = 0;
    on_threads(4, [&](int t) {
        local = t;  // race: local
    });
    results[0] = local;
#elif CASE == 23  // promise
    std::promise<int> promise;
    std::future<int> value = promise.get_future();
    std::thread giver([&] {
        plain = 2;
        promise.set_value(1);
    });
    results[0] = value.get() + plain;
    giver.join();
#endif
    std::printf("%d\n", results[0] * 0 + plain * 0);
    return 0;
}
