// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -std=c++20 -pthread
// Means of C++20 and of POSIX that are used less: latches, shared locks, references to atomics, attempts, upgrades.
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
int value, other, table[64];
template <typename F>
static void in_threads(int count, F body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; i++) threads.emplace_back(body, i);
    for (std::thread& thread : threads) thread.join();
}
int main() {
#if CASE == 1  // a reader stores under the shared side
    std::shared_mutex lock;
    in_threads(3, [&](int) {
        std::shared_lock<std::shared_mutex> held(lock);
        value++;  // race: value
    });
#elif CASE == 2
    std::shared_mutex lock;
    in_threads(3, [&](int i) {
        if (i == 0) {
            std::unique_lock<std::shared_mutex> held(lock);
            value++;
        } else {
            std::shared_lock<std::shared_mutex> held(lock);
            table[i] = value;
        }
    });
#elif CASE == 3  // a plain look beside a reference to an atomic
    in_threads(3, [](int i) {
        if (i == 0)
            table[1] = value;  // race: value maybe
        else
            std::atomic_ref<int>(value).store(i);  // race: value maybe
    });
#elif CASE == 4
    in_threads(3, [](int i) {
        if (i == 0)
            table[1] = std::atomic_ref<int>(value).load();
        else
            std::atomic_ref<int>(value).store(i);
    });
#elif CASE == 5  // a latch
    std::latch ready(1);
    in_threads(3, [&](int i) {
        if (i == 0) {
            value = 4;
            ready.count_down();
        } else {
            ready.wait();
            table[i] = value;
        }
    });
#elif CASE == 6  // it is not waited for
    std::latch ready(1);
    in_threads(3, [&](int i) {
        if (i == 0) {
            value = 4;  // race: value
            ready.count_down();
        } else {
            table[i] = value;  // race: value
        }
    });
#elif CASE == 7  // a barrier
    std::barrier step(3);
    in_threads(3, [&](int i) {
        table[i] = i;
        step.arrive_and_wait();
        table[8 + i] = table[(i + 1) % 3];
    });
#elif CASE == 8  // arrive alone orders nothing for who arrives
    std::barrier step(3);
    in_threads(3, [&](int i) {
        table[i] = i;  // race: table
        (void)step.arrive();
        table[8 + i] = table[(i + 1) % 3];  // race: table
    });
#elif CASE == 9  // condition_variable_any
    std::shared_mutex lock;
    std::condition_variable_any changed;
    bool ready = false;
    in_threads(2, [&](int i) {
        if (i == 0) {
            std::unique_lock<std::shared_mutex> held(lock);
            value = 3;
            ready = true;
            changed.notify_all();
        } else {
            std::shared_lock<std::shared_mutex> held(lock);
            changed.wait(held, [&] { return ready; });
            table[1] = value;
        }
    });
#elif CASE == 10  // upgrade: what was read is stored to after the lock was let go and taken again
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    in_threads(3, [&](int i) {
        pthread_rwlock_rdlock(&lock);
        table[i] = value;
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_wrlock(&lock);
        value = table[i] + 1;
        pthread_rwlock_unlock(&lock);
    });
#elif CASE == 11  // an attempt that fails does the work all the same
    std::mutex lock;
    std::binary_semaphore go(0), done(0);
    in_threads(2, [&](int i) {
        if (i == 0) {
            std::lock_guard<std::mutex> held(lock);
            value = 1;
            go.release();
            done.acquire();
            other = 1;  // race: other
        } else {
            go.acquire();
            const bool got = lock.try_lock();
            done.release();
            other = got;  // race: other
            if (got) lock.unlock();
        }
    });
    value = 0;
#elif CASE == 12  // the memory goes away under the other
    auto* page = static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::atomic<int> done = 0;
    std::thread user([&] {
        page[3] = 5;  // race: page
        done.fetch_add(1, std::memory_order_relaxed);
    });
    while (done.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    munmap(page, 4096);  // race: page maybe
    user.join();
#elif CASE == 13  // a counter of its own cell, padded
    in_threads(4, [](int i) {
        for (int k = 0; k < 50; k++) table[i * 16]++;
    });
#elif CASE == 14  // a stop flag that is plain
    std::thread worker([] {
        for (int k = 0; k < 50; k++) {
            if (value == 1) other = k;  // race: value
            KEEP;
        }
    });
    value = 1;  // race: value
    worker.join();
#elif CASE == 15  // counting semaphore hands over
    std::counting_semaphore<8> items(0);
    in_threads(2, [&](int i) {
        for (int k = 0; k < 20; k++) {
            if (i == 0) {
                table[k] = k;
                items.release();
            } else {
                items.acquire();
                other += table[k];
            }
        }
    });
#elif CASE == 16  // the producer fills after it has told
    std::counting_semaphore<8> items(0);
    in_threads(2, [&](int i) {
        if (i == 0) {
            items.release();
            table[1] = 1;  // race: table
        } else {
            items.acquire();
            other += table[1];  // race: table
        }
    });
#elif CASE == 17  // jthread's token
    {
        std::jthread worker([](std::stop_token stop) {
            while (!stop.stop_requested()) std::this_thread::yield();
            table[0] = value;
        });
        value = 3;
        worker.request_stop();
    }
#elif CASE == 18  // who finds that a count is complete goes on after all who counted, without waiting for it
    static std::atomic<int> done{0};
    static int finished;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([i] {
            table[i] = i;
            done++;
            table[16 + i] = i;
            __sync_fetch_and_add(&finished, 1);
        });
    for (int tries = 0; tries < 100 && done.load() < 3; tries++)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (done.load() == 3) value = table[0] + table[1] + table[2];
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (__sync_fetch_and_add(&finished, 0) == 3) other = table[16] + table[17] + table[18];
    for (std::thread& thread : threads) thread.join();
#elif CASE == 19  // one function of the library, two variables: two races
    static std::vector<bool> bits(64), others(64);
    in_threads(2, [](int i) {
        for (int k = 0; k < 8; k++) bits[i * 8 + k] = true;    // race: bits
        for (int k = 0; k < 8; k++) others[i * 8 + k] = true;  // race: others
    });
#endif
    std::printf("%d %d %d\n", value, other, table[1]);
    return 0;
}
