// SPDX-License-Identifier: GPL-2.0-or-later
//
// A hash table whose buckets share a few locks, as concurrent tables have them: spin locks of the program's own, one byte each,
// side by side. What they protect lies elsewhere.
// EXPECT: FalseSharing stripes 'Pad each element of .*\(1 byte\) to 64 and align the first to 64'
#include <atomic>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 4, kStripes = 32, kAdds = 6000;

#ifdef MENDED
struct alignas(64) Lock {
#else
struct Lock {
#endif
    std::atomic_flag taken = ATOMIC_FLAG_INIT;
    void lock() {
        while (taken.test_and_set(std::memory_order_acquire)) {
        }
    }
    void unlock() { taken.clear(std::memory_order_release); }
};

Lock stripes[kStripes];
struct alignas(64) Bucket {
    long keys = 0;
} buckets[kStripes];

void add(unsigned random) {
    for (int i = 0; i < kAdds; ++i) {
        random = random * 1664525u + 1013904223u;
        const unsigned at = (random >> 16) % kStripes;
        stripes[at].lock();
        ++buckets[at].keys;
        stripes[at].unlock();
    }
}

}  // namespace

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(add, i + 1);
    for (std::thread& thread : threads) thread.join();
    long keys = 0;
    for (const Bucket& bucket : buckets) keys += bucket.keys;
    return keys == long{kThreads} * kAdds ? 0 : 1;
}
