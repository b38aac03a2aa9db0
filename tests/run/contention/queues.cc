// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: threads that hand work on by a mutex and conditions work side by side: who wakes others has not waited for
// PROVES: them, who finds a full queue would have found it full, and nobody has the jobs of others because it ran alone
// COMPILE: gcc clang -O0 -O2 -pthread -std=c++20
// ARGS: --sharing-floor=1000000000
// SET: QUEUE=1 WORK=64000 LEAST=42000
// SET: QUEUE=2 WORK=160000 LEAST=152000
// SET: QUEUE=3 WORK=128000 LEAST=118000
// SET: QUEUE=4 WORK=64000 LEAST=12000
// WORK is increments of words of one line, of which LEAST miss. Where threads worked one after the other few would miss.
// COUNTS: modelled counts misses=LEAST..WORK
// EXPECT: nothing
#include <condition_variable>
#include <deque>
#include <mutex>

#include "workers.h"

#if QUEUE == 2 || QUEUE == 3
constexpr int kEach = 800;
#else
constexpr int kEach = 80;
#endif
static LINE_ALIGNED long counts[LINE / sizeof(long)];
static void work(int index) {
    for (int i = 0; i < kEach; ++i) INCREMENT(counts[index]);
}

#if QUEUE == 1  // a ring of four places between four producers and four consumers
constexpr int kThreads = 8, kItems = 100;
struct Ring {
    std::mutex m;
    std::condition_variable not_full, not_empty;
    int places[4], head = 0, tail = 0, used = 0;
    void put(int value) {
        std::unique_lock lock(m);
        while (used == 4) not_full.wait(lock);
        places[tail++ % 4] = value;
        ++used;
        not_empty.notify_one();
    }
    int take() {
        std::unique_lock lock(m);
        while (used == 0) not_empty.wait(lock);
        --used;
        not_full.notify_one();
        return places[head++ % 4];
    }
};
static Ring ring;
static void run(int index) {
    for (int i = 0; i < kItems; ++i) {
        if (index % 2 == 0) {
            work(index);
            ring.put(i);
        } else {
            ring.take();
            work(index);
        }
    }
}
#elif QUEUE == 2  // a list without a limit; all are told of each item
constexpr int kThreads = 4, kItems = 100;
static std::mutex m;
static std::condition_variable filled;
static std::deque<int> items;
static int producers = 2;
static void run(int index) {
    if (index < 2) {
        for (int i = 0; i < kItems / 2; ++i) {
            work(index);
            {
                std::lock_guard lock(m);
                items.push_back(i);
            }
            filled.notify_all();
        }
        {
            std::lock_guard lock(m);
            --producers;
        }
        filled.notify_all();
        return;
    }
    for (;;) {
        {
            std::unique_lock lock(m);
            filled.wait(lock, [] { return !items.empty() || producers == 0; });
            if (items.empty()) return;
            items.pop_front();
        }
        work(index);
    }
}
#elif QUEUE == 3  // a pool: one thread hands out rounds of jobs, and waits until all are done
constexpr int kThreads = 5, kRounds = 20, kJobs = 8;
static std::mutex m;
static std::condition_variable filled, idle;
static std::deque<int> jobs;
static int busy;
static bool over;
static void run(int index) {
    if (index == 0) {
        for (int r = 0; r < kRounds; ++r) {
            for (int j = 0; j < kJobs; ++j) {
                {
                    std::lock_guard lock(m);
                    jobs.push_back(j);
                }
                filled.notify_one();
            }
            std::unique_lock lock(m);
            idle.wait(lock, [] { return jobs.empty() && busy == 0; });
        }
        {
            std::lock_guard lock(m);
            over = true;
        }
        filled.notify_all();
        return;
    }
    std::unique_lock lock(m);
    for (;;) {
        filled.wait(lock, [] { return over || !jobs.empty(); });
        if (jobs.empty()) return;
        jobs.pop_front();
        ++busy;
        lock.unlock();
        work(index);
        lock.lock();
        --busy;
        idle.notify_all();
    }
}
#else  // one place between two threads; each tells all who wait
constexpr int kThreads = 2, kItems = 400;
static std::mutex m;
static std::condition_variable changed;
static bool full;
static void run(int index) {
    for (int i = 0; i < kItems; ++i) {
        if (index == 0) work(index);
        {
            std::unique_lock lock(m);
            changed.wait(lock, [&] { return full == (index == 1); });
            full = index == 0;
        }
        changed.notify_all();
        if (index == 1) work(index);
    }
}
#endif

int main() {
    run_threads(kThreads, run);
    return 0;
}
