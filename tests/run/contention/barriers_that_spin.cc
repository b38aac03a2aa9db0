// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: threads that meet at a barrier of the program's own work side by side between two meetings, whatever the barrier
// PROVES: is made of: one counter that only grows, a flag for each thread that all look at, a time limit, delays that grow,
// PROVES: two words, a mutex and a condition, looks by atomic updates that change nothing, looks under a lock
// COMPILE: gcc clang -O0 -O2 -pthread -std=c++20
// ARGS: --sharing-floor=1000000000
// SET: MEETING=1
// SET: MEETING=2
// SET: MEETING=3
// SET: MEETING=4
// SET: MEETING=5
// SET: MEETING=6
// SET: MEETING=7
// SET: MEETING=8
// SET: MEETING=9
// A phase has some 80 increments by each thread. Where the threads worked one after the other each would miss few times.
// COUNTS: modelled counts misses=27000..33000
// EXPECT: nothing
#include <time.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "workers.h"

constexpr int kThreads = 4, kPhases = 100;
static LINE_ALIGNED long counts[LINE / sizeof(long)];

#if MEETING == 1
static LINE_ALIGNED std::atomic<long> arrived;
static thread_local long target = 0;
static void meet(int) {
    target += kThreads;
    arrived.fetch_add(1, std::memory_order_acq_rel);
    while (arrived.load(std::memory_order_acquire) < target) {
    }
}
#elif MEETING == 2
static LINE_ALIGNED std::atomic<int> phases[kThreads];
static thread_local int phase = 0;
static void meet(int index) {
    phases[index] = ++phase;
    for (std::atomic<int>& other : phases)
        while (other < phase) {
        }
}
#elif MEETING != 6
static LINE_ALIGNED std::atomic<int> arrived, generation;
static LINE_ALIGNED std::atomic<bool> stopped;
static LINE_ALIGNED std::mutex mutex;
static void wait_for_other(int old) {
#if MEETING == 3
    timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while (generation == old && now.tv_sec < begin.tv_sec + 1000);
#elif MEETING == 4
    for (int delay = 1; generation == old; delay = delay < 256 ? delay * 2 : delay)
        for (int volatile i = 0; i < delay; ++i) {
        }
#elif MEETING == 5
    while (!stopped && generation == old) {
    }
#elif MEETING == 7
    while (generation.fetch_add(0) == old) {
    }
#elif MEETING == 8
    for (int next = old + 1; !generation.compare_exchange_strong(next, old + 1); next = old + 1) {
    }
#else
    for (bool waits = true; waits;) {
        std::lock_guard lock(mutex);
        waits = generation == old;
    }
#endif
}
static void meet(int) {
    const int old = generation;
    if (arrived.fetch_add(1) != kThreads - 1) return wait_for_other(old);
    arrived = 0;
    ++generation;
}
#else
static std::mutex mutex;
static std::condition_variable all_here;
static int arrived = 0, generation = 0;
static void meet(int) {
    std::unique_lock lock(mutex);
    const int old = generation;
    if (++arrived == kThreads) {
        arrived = 0;
        ++generation;
        return all_here.notify_all();
    }
    all_here.wait(lock, [&] { return generation != old; });
}
#endif

static void work(int index) {
    for (int phase_now = 0; phase_now < kPhases; ++phase_now) {
        const int steps = 1000 + (index * 37 + phase_now * 11) % 500;
        for (int i = 0; i < steps; ++i)
            if (i % 16 == 0) INCREMENT(counts[index]);
        meet(index);
    }
}

int main() { run_threads(kThreads, work); }
