// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread -std=c++20
// Semaphores that one or several threads may have, queues and flags of C++.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <semaphore.h>
#include <thread>
#include <vector>
static int total, results[8];
int main() {
#if CASE == 1  // semaphore of two
    sem_t two;
    sem_init(&two, 0, 2);
    std::vector<std::thread> ts;
    for (int t = 0; t < 3; t++)
        ts.emplace_back([&] {
            for (int i = 0; i < 50; i++) {
                sem_wait(&two);
                total++;  // race: total
                sem_post(&two);
            }
        });
    for (auto& t : ts) t.join();
#elif CASE == 2  // semaphore of one
    sem_t one;
    sem_init(&one, 0, 1);
    std::vector<std::thread> ts;
    for (int t = 0; t < 3; t++)
        ts.emplace_back([&] {
            for (int i = 0; i < 50; i++) {
                sem_wait(&one);
                total++;
                sem_post(&one);
            }
        });
    for (auto& t : ts) t.join();
#elif CASE == 3  // bounded buffer by semaphores
    sem_t full, empty;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 4);
    static int slots[4];
    std::thread a([&] { for (int i = 0; i < 100; i++) { sem_wait(&empty); slots[i % 4] = i; sem_post(&full); } });
    std::thread b([&] { for (int i = 0; i < 100; i++) { sem_wait(&full); total += slots[i % 4]; sem_post(&empty); } });
    a.join();
    b.join();
#elif CASE == 4  // the buffer has fewer slots than the semaphore says
    sem_t full, empty;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 5);
    static int slots[4];
    std::thread a([&] {
        for (int i = 0; i < 100; i++) {
            sem_wait(&empty);
            slots[i % 4] = i;  // race: slots
            sem_post(&full);
        }
    });
    std::thread b([&] {
        for (int i = 0; i < 100; i++) {
            sem_wait(&full);
            total += slots[i % 4];  // race: slots
            sem_post(&empty);
        }
    });
    a.join();
    b.join();
#elif CASE == 5  // double-checked with a plain pointer
    static int* instance;
    static std::mutex m;
    auto get = [] {
        if (!instance) {  // race: instance
            std::lock_guard l(m);
            if (!instance) instance = new int(5);  // race: instance
        }
        return *instance;  // race: instance
    };
    std::thread a([&] { results[0] = get(); }), b([&] { results[1] = get(); });  // race: instance
    a.join();
    b.join();
#elif CASE == 6  // double-checked with an atomic pointer
    static std::atomic<int*> instance;
    static std::mutex m;
    auto get = [] {
        int* p = instance.load(std::memory_order_acquire);
        if (!p) {
            std::lock_guard l(m);
            p = instance.load(std::memory_order_relaxed);
            if (!p) instance.store(p = new int(5), std::memory_order_release);
        }
        return *p;
    };
    std::thread a([&] { results[0] = get(); }), b([&] { results[1] = get(); });
    a.join();
    b.join();
#elif CASE == 7  // condition variable with a predicate
    std::mutex m;
    std::condition_variable cv;
    bool ready = false;
    std::thread a([&] {
        { std::lock_guard l(m); total = 3; ready = true; }
        cv.notify_one();
    });
    { std::unique_lock l(m); cv.wait(l, [&] { return ready; }); }
    std::printf("%d\n", total);
    a.join();
#elif CASE == 8  // result set before join by a detached-like thread, read too early
    std::thread a([] { total = 9; });  // race: total
    std::printf("%d\n", total);        // race: total
    a.join();
#elif CASE == 9  // spin lock by exchange
    static std::atomic<bool> lock{false};
    std::vector<std::thread> ts;
    for (int t = 0; t < 3; t++)
        ts.emplace_back([] {
            for (int i = 0; i < 50; i++) {
                while (lock.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
                total++;
                lock.store(false, std::memory_order_release);
            }
        });
    for (auto& t : ts) t.join();
#elif CASE == 10  // work stealing by index
    static std::atomic<int> next{0};
    static int out[200];
    std::vector<std::thread> ts;
    for (int t = 0; t < 3; t++)
        ts.emplace_back([] { for (int i; (i = next.fetch_add(1)) < 200;) out[i] = i * i; });
    for (auto& t : ts) t.join();
    std::printf("%d\n", out[9]);
#elif CASE == 11  // each also counts at the end
    static std::atomic<int> next{0};
    static int out[200], done;
    std::vector<std::thread> ts;
    for (int t = 0; t < 3; t++)
        ts.emplace_back([] {
            for (int i; (i = next.fetch_add(1)) < 200;) out[i] = i * i;
            done++;  // race: done
        });
    for (auto& t : ts) t.join();
#endif
    std::printf("%d %d\n", total, results[0]);
    return 0;
}
