// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a work-stealing deque whose ends are on lines of their own gives no finding as long as stealing is rare
// COMPILE: gcc -O0 -O2 -std=c++17 -pthread
// SET: WORKERS=4 ITEMS=400 WORK=400
// SET: WORKERS=2 ITEMS=1000 WORK=200
// EXPECT: nothing
#include <atomic>
#include <vector>

#include "workers.h"

struct alignas(64) Deque {
    alignas(64) std::atomic<long> top{0};
    alignas(64) std::atomic<long> bottom{0};
    alignas(64) std::atomic<int> items[1024] = {};

    void push(int item) {
        const long b = bottom.load(std::memory_order_relaxed);
        items[b % 1024].store(item, std::memory_order_relaxed);
        bottom.store(b + 1, std::memory_order_release);
    }
    bool take(int* item) {
        const long b = bottom.load(std::memory_order_relaxed) - 1;
        bottom.store(b);
        long t = top.load();
        if (t > b) {
            bottom.store(b + 1);
            return false;
        }
        *item = items[b % 1024].load(std::memory_order_relaxed);
        if (t < b) return true;
        const bool mine = top.compare_exchange_strong(t, t + 1);
        bottom.store(b + 1);
        return mine;
    }
    bool steal(int* item) {
        long t = top.load();
        if (t >= bottom.load()) return false;
        *item = items[t % 1024].load(std::memory_order_relaxed);
        return top.compare_exchange_strong(t, t + 1);
    }
};

alignas(64) Deque deques[WORKERS];
alignas(64) std::atomic<int> done{0};
alignas(64) char end[64];

static void work(int index) {
    int item = 0, own = 0;
    Deque& mine = deques[index];
    for (int i = 0; i < ITEMS; ++i) mine.push(i);
    while (mine.take(&item)) {
        pass_time(WORK);
        ++own;
    }
    // One round over the items left in the others' deques.
    for (int other = 0; other < WORKERS; ++other)
        if (other != index && deques[other].steal(&item)) {
            pass_time(WORK);
            ++own;
        }
    done.fetch_add(own);
}

int main() {
    run_together(WORKERS, work);
    return done != WORKERS * ITEMS;
}
