// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -std=c++20 -pthread
// Corners of C++ programs with threads: fences, shared pointers, waiting on atomics, times, tokens, keys of threads.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>
#define KEEP __asm__ volatile("" ::: "memory")
namespace {
struct Item {       // race(20): lazy
    int value = 0;  // race(20): lazy
    std::string name = "item";
};
struct Table {
    std::map<int, int> of;
    int find(int k) {
        auto it = of.find(k);
        return it == of.end() ? 0 : it->second;
    }
};
int data[64], value, total;
std::atomic<int> flag{0}, turn{0};
std::mutex lock, other_lock;
std::shared_ptr<Item> current;
template <typename F>
void threads(int n, F f) {
    std::vector<std::thread> all;
    for (int t = 0; t < n; t++) all.emplace_back(f, t);
    for (auto& one : all) one.join();
}
}  // namespace
int main() {
#if CASE == 1  // fences beside relaxed accesses
    threads(2, [](int t) {
        if (t == 0) {
            value = 5;
            std::atomic_thread_fence(std::memory_order_release);
            flag.store(1, std::memory_order_relaxed);
        } else {
            while (flag.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
            std::atomic_thread_fence(std::memory_order_acquire);
            total = value;
        }
    });
#elif CASE == 2  // one shared pointer, changed and copied by two
    current = std::make_shared<Item>();  // race: pointer
    threads(2, [](int t) {
        if (t == 0)
            current = std::make_shared<Item>();  // race: pointer
        else {
            auto mine = current;  // race: pointer
            KEEP;
        }  // race: pointer
    });
#elif CASE == 3  // each thread's copy of it
    current = std::make_shared<Item>();
    {
        auto a = current, b = current;
        std::thread one([a] { data[0] = a->value; }), two([b] { data[1] = b->value; });
        one.join();
        two.join();
    }
    current.reset();
#elif CASE == 4  // by the functions for it
    current = std::make_shared<Item>();
    threads(3, [](int t) {
        if (t == 0) {
            auto fresh = std::make_shared<Item>();
            fresh->value = 7;
            std::atomic_store(&current, fresh);
        } else
            data[t] = std::atomic_load(&current)->value;
    });
#elif CASE == 5  // waiting on an atomic
    threads(2, [](int t) {
        if (t == 0) {
            value = 4;
            flag.store(1);
            flag.notify_all();
        } else {
            flag.wait(0);
            total = value;
        }
    });
#elif CASE == 6  // its value is told first
    threads(2, [](int t) {
        if (t == 0) {
            flag.store(1);
            flag.notify_all();
            value = 4;  // race: value
        } else {
            flag.wait(0);
            total = value;  // race: value
        }
    });
#elif CASE == 7  // an attempt with a time, then without the lock
    static std::timed_mutex timed;
    threads(3, [](int) {
        if (timed.try_lock_for(std::chrono::seconds(5))) {
            total++;
            timed.unlock();
        }
    });
#elif CASE == 8  // a wait whose time is up, and goes on all the same
    static std::condition_variable ready;
    threads(2, [](int t) {
        std::unique_lock held(lock);
        if (t == 0)
            ready.wait_for(held, std::chrono::milliseconds(1));
        held.unlock();
        total += t + 1;  // race: total
    });
#elif CASE == 9  // a table that is looked at by many
    static Table table;
    for (int i = 0; i < 30; i++) table.of[i] = i;
    threads(4, [](int t) { data[t] = table.find(t * 3); });
#elif CASE == 10  // operator [] makes what is not there
    static Table table;
    for (int i = 0; i < 30; i++) table.of[i] = i;
    threads(4, [](int t) { data[t] = table.of[t * 3 + 100]; });  // race: table
#elif CASE == 11  // a value for each thread, deleted at its end
    static pthread_key_t key;
    pthread_key_create(&key, [](void* of) { delete static_cast<int*>(of); });
    threads(4, [](int t) {
        pthread_setspecific(key, new int(t));
        data[t] = *static_cast<int*>(pthread_getspecific(key));
    });
#elif CASE == 12  // threads of C11
    static mtx_t c_lock;
    mtx_init(&c_lock, mtx_plain);
    thrd_t all[3];
    for (auto& one : all)
        thrd_create(
            &one,
            [](void*) -> int {
                mtx_lock(&c_lock);
                total++;
                mtx_unlock(&c_lock);
                return 0;
            },
            nullptr);
    for (auto& one : all) thrd_join(one, nullptr);
#elif CASE == 13  // one of them without its lock
    static mtx_t c_lock;
    mtx_init(&c_lock, mtx_plain);
    static std::atomic<int> number;
    thrd_t all[3];
    for (auto& one : all)
        thrd_create(
            &one,
            [](void*) -> int {
                if (number++ == 2) {
                    total++;  // race: total
                    return 0;
                }
                mtx_lock(&c_lock);
                total++;  // race: total
                mtx_unlock(&c_lock);
                return 0;
            },
            nullptr);
    for (auto& one : all) thrd_join(one, nullptr);
#elif CASE == 14  // read, copied, told by a pointer
    static std::atomic<Item*> now{new Item};
    threads(3, [](int t) {
        if (t == 0) {
            Item* fresh = new Item(*now.load());
            fresh->value = 9;
            now.store(fresh);
        } else
            data[t] = now.load()->value;
    });
#elif CASE == 15  // the item that was told is changed
    static std::atomic<Item*> now{new Item};
    threads(3, [](int t) {
        if (t == 0) {
            Item* fresh = new Item(*now.load());
            now.store(fresh);
            fresh->value = 9;  // race: item
        } else {
            while (now.load()->name.empty()) {
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            data[t] = now.load()->value;  // race: item
        }
    });
#elif CASE == 16  // a function object that captures by reference, run later
    std::future<void> done;
    static int local[4];
    {
        done = std::async(std::launch::async, [&] { local[0] = 3; });  // race: local
        local[0] = 4;                                                 // race: local
        KEEP;
    }
    done.wait();
    total = local[0];
#elif CASE == 17  // a thread pool with a queue and an end
    std::deque<std::function<void()>> jobs;
    std::condition_variable ready;
    bool closed = false;
    std::vector<std::thread> pool;
    for (int t = 0; t < 3; t++)
        pool.emplace_back([&] {
            for (;;) {
                std::unique_lock held(lock);
                ready.wait(held, [&] { return closed || !jobs.empty(); });
                if (jobs.empty()) return;
                auto job = std::move(jobs.front());
                jobs.pop_front();
                held.unlock();
                job();
            }
        });
    for (int i = 0; i < 20; i++) {
        std::lock_guard held(lock);
        jobs.emplace_back([i] { data[i] = i; });
        ready.notify_one();
    }
    {
        std::lock_guard held(lock);
        closed = true;
    }
    ready.notify_all();
    for (auto& one : pool) one.join();
    total = data[3];
#elif CASE == 18  // its end is a plain bool that is set outside of the lock
    std::deque<int> jobs;
    bool closed = false;
    std::vector<std::thread> pool;
    for (int t = 0; t < 3; t++)
        pool.emplace_back([&] {
            for (;;) {
                lock.lock();
                bool none = jobs.empty();
                if (!none) jobs.pop_front();
                lock.unlock();
                if (none && closed) return;  // race: closed
                std::this_thread::yield();
            }
        });
    for (int i = 0; i < 20; i++) {
        std::lock_guard held(lock);
        jobs.push_back(i);
    }
    closed = true;  // race: closed
    for (auto& one : pool) one.join();
#elif CASE == 19  // a lazy value, once
    static std::once_flag once;
    static std::optional<std::string> lazy;
    threads(4, [](int t) {
        std::call_once(once, [] { lazy = "made"; });
        data[t] = static_cast<int>(lazy->size());
    });
#elif CASE == 20  // a lazy value, by each who finds none
    static std::unique_ptr<Item> lazy;
    threads(4, [](int t) {
        if (!lazy) lazy = std::make_unique<Item>();  // race: lazy
        data[t] = lazy->value;  // race: lazy
    });
#elif CASE == 21  // signals end a wait
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread waits([set] {
        int got = 0;
        sigwait(&set, &got);
        total = value;
    });
    value = 3;
    pthread_kill(waits.native_handle(), SIGUSR1);
    waits.join();
#elif CASE == 22  // a ring of one writer and one reader
    static std::array<int, 8> ring;
    static std::atomic<unsigned> head{0}, tail{0};
    threads(2, [](int t) {
        for (int i = 0; i < 100; i++) {
            if (t == 0) {
                while (head.load(std::memory_order_relaxed) - tail.load(std::memory_order_acquire) == 8) std::this_thread::yield();
                ring[head.load(std::memory_order_relaxed) % 8] = i;
                head.store(head.load(std::memory_order_relaxed) + 1, std::memory_order_release);
            } else {
                while (head.load(std::memory_order_acquire) == tail.load(std::memory_order_relaxed)) std::this_thread::yield();
                total += ring[tail.load(std::memory_order_relaxed) % 8];
                tail.store(tail.load(std::memory_order_relaxed) + 1, std::memory_order_release);
            }
        }
    });
#elif CASE == 23  // of two writers
    static std::array<int, 256> ring;
    static std::atomic<unsigned> head{0};
    threads(2, [](int t) {
        for (int i = 0; i < 100; i++) {
            unsigned at = head.load(std::memory_order_relaxed);
            ring[at] = i + t;  // race: ring maybe
            head.store(at + 1, std::memory_order_relaxed);
            if (i % 10 == 0) std::this_thread::yield();
        }
    });
#elif CASE == 24  // readers of a shared lock, the writer without it
    static std::shared_mutex rw;
    threads(3, [](int t) {
        if (t == 2) {
            value++;  // race: value
            return;
        }
        std::shared_lock held(rw);
        data[t] = value;  // race: value
    });
#endif
    std::printf("%d %d %d %d\n", data[0], value, total, flag.load());
}
