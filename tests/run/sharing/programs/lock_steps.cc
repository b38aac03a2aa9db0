// SPDX-License-Identifier: GPL-2.0-or-later
//
// Threads go round the stripes of a table, each at another one, for some entries until all go on: nobody waits for a lock.
// A stripe has 48 bytes, so most lines have two.
// EXPECT: FalseSharing table 'Pad each element of table.stripes \(48 bytes\) to 64 and align the first to 64' in=table
#include <pthread.h>

#include <mutex>
#include <thread>
#include <vector>

constexpr int kThreads = 2, kStripes = 14, kRounds = 20, kEntries = 40;

struct
#ifdef MENDED
    alignas(64)
#endif
        Stripe {
    std::mutex lock;
    long entries = 0;
};

struct Table {
    Stripe stripes[kStripes];
};

alignas(64) Table table;
alignas(64) pthread_barrier_t step;

void fill(int number) {
    for (int i = 0; i < kRounds * kStripes; ++i) {
        Stripe &stripe = table.stripes[(i + number) % kStripes];
        for (int entry = 0; entry < kEntries; ++entry) {
            const std::lock_guard<std::mutex> hold(stripe.lock);
            ++stripe.entries;
        }
        pthread_barrier_wait(&step);
    }
}

int main() {
    pthread_barrier_init(&step, nullptr, kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(fill, i);
    for (std::thread &thread : threads) thread.join();
    long sum = 0;
    for (const Stripe &stripe : table.stripes) sum += stripe.entries;
    return sum != long{kThreads} * kRounds * kStripes * kEntries;
}
