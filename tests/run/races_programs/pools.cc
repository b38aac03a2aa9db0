// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -std=c++20 -pthread
// Workers that take short pieces of work, whoever comes first: what they do to one variable is ordered only by luck.
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

static constexpr int kPieces = 200;
static long sum, results[kPieces];
static std::atomic<long> count{0};
static std::mutex lock;
static std::condition_variable ready;
static std::deque<std::function<void()>> queue;
static bool closed;

static void serve() {
    for (;;) {
        std::function<void()> piece;
        {
            std::unique_lock<std::mutex> held(lock);
            ready.wait(held, [] { return closed || !queue.empty(); });
            if (queue.empty()) return;
            piece = std::move(queue.front());
            queue.pop_front();
        }
        piece();
    }
}
template <typename F>
static void in_pool(F body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; t++) threads.emplace_back(serve);
    for (int i = 0; i < kPieces; i++) {
        {
            std::lock_guard<std::mutex> held(lock);
            queue.emplace_back([i, body] { body(i); });
        }
        ready.notify_one();
    }
    {
        std::lock_guard<std::mutex> held(lock);
        closed = true;
    }
    ready.notify_all();
    for (std::thread& thread : threads) thread.join();
}
static int next_under_lock() {
    static int next;
    std::lock_guard<std::mutex> held(lock);
    return next++;
}
template <typename Next, typename F>
static void by_number(Next next, F body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; t++)
        threads.emplace_back([&] {
            for (int i = next(); i < kPieces; i = next()) body(i);
        });
    for (std::thread& thread : threads) thread.join();
}

int main() {
#if CASE == 1  // a queue with a condition
    in_pool([](int i) {
        sum += i;  // race: sum
    });
#elif CASE == 2
    in_pool([](int i) {
        results[i] = i;
        count += i;
    });
#elif CASE == 3  // the queue is full before anybody works
    for (int i = 0; i < kPieces; i++)
        queue.emplace_back([i] {
            sum += i;  // race: sum
        });
    closed = true;
    std::thread first(serve), second(serve);
    first.join();
    second.join();
#elif CASE == 4
    for (int i = 0; i < kPieces; i++) queue.emplace_back([i] { results[i] += i; });
    closed = true;
    std::thread first(serve), second(serve);
    first.join();
    second.join();
#elif CASE == 5  // a number under a lock
    by_number(
        next_under_lock,
        [](int i) {
            sum += i;  // race: sum
        });
#elif CASE == 6
    by_number(
        next_under_lock,
        [](int i) {
            results[i] = i;
            std::lock_guard<std::mutex> held(lock);
            sum += i;
        });
#elif CASE == 7  // an atomic number
    std::atomic<int> next{0};
    by_number([&] { return next++; },
              [](int i) {
                  sum += i;  // race: sum
              });
#elif CASE == 8
    std::atomic<int> next{0};
    by_number([&] { return next++; },
              [](int i) {
                  results[i] = i;
                  count += i;
              });
#elif CASE == 9  // a number by comparing and exchanging
    std::atomic<int> next{0};
    by_number(
        [&] {
            int now = next.load();
            while (!next.compare_exchange_weak(now, now + 1)) {
            }
            return now;
        },
        [](int i) {
            sum += i;  // race: sum
        });
#elif CASE == 10  // a spin lock around the number
    static pthread_spinlock_t spin;
    pthread_spin_init(&spin, 0);
    int next = 0;
    by_number(
        [&] {
            pthread_spin_lock(&spin);
            const int mine = next++;
            pthread_spin_unlock(&spin);
            return mine;
        },
        [](int i) {
            sum += i;  // race: sum
        });
#elif CASE == 11  // a lock of the program's own
    static std::atomic_flag own = ATOMIC_FLAG_INIT;
    int next = 0;
    by_number(
        [&] {
            while (own.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
            const int mine = next++;
            own.clear(std::memory_order_release);
            return mine;
        },
        [](int i) {
            sum += i;  // race: sum
        });
#endif
    std::printf("%ld %ld %ld\n", sum, count.load(), results[1]);
    return 0;
}
