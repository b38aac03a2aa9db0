// SPDX-License-Identifier: GPL-2.0-or-later
// Atomic counters that all threads use.
// EXPECT: FalseSharing hist 'Several threads add to the same parts of hist' plain
#include <atomic>
#include <thread>
#include <vector>

enum { THREADS = 4 };
static std::atomic<unsigned> hist[16];
int main() {
    std::vector<unsigned char> img(20000);
    unsigned s = 1;
    for (auto& c : img) {
        s = s * 1103515245 + 12345;
        c = s >> 20;
    }
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([&, t] {
#ifdef MENDED
            unsigned local[16] = {};
            for (size_t i = img.size() * t / THREADS; i < img.size() * (t + 1) / THREADS; ++i)
                ++*(volatile unsigned*)&local[img[i] >> 4];
            for (int k = 0; k < 16; ++k) hist[k] += local[k];
#else
            for (size_t i = img.size() * t / THREADS; i < img.size() * (t + 1) / THREADS; ++i)
                hist[img[i] >> 4]++;
#endif
        });
    for (auto& t : ts) t.join();
    return hist[0] ? 0 : 1;
}
