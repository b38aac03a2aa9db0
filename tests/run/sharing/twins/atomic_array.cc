// SPDX-License-Identifier: GPL-2.0-or-later
// An atomic for each thread.
// EXPECT: FalseSharing progress 'Pad each element of progress .8 bytes. to 64.*struct around each'
#include <atomic>
#include <thread>
#include <vector>

enum { THREADS = 4 };
#ifdef MENDED
struct alignas(64) A {
    std::atomic<long> v{0};
};
static A progress[THREADS];
#define P(t) progress[t].v
#else
static std::atomic<long> progress[THREADS];
#define P(t) progress[t]
#endif
int main() {
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([t] {
            for (int i = 0; i < 6000; ++i) {
                volatile int w = 0;
                for (int k = 0; k < 5; ++k) w += k;
                P(t).fetch_add(1, std::memory_order_relaxed);
            }
        });
    for (auto& t : ts) t.join();
    return P(0) == 6000 ? 0 : 1;
}
