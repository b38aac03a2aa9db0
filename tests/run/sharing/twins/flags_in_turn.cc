// SPDX-License-Identifier: GPL-2.0-or-later
// Flags of a large array that are dealt out one by one.
// EXPECT: FalseSharing done 'Deal out done to the threads in multiples of 64'
#include <memory>
#include <thread>
#include <vector>

enum { THREADS = 4 };
#ifdef MENDED
#define CHUNK 64
#else
#define CHUNK 1
#endif
int main() {
    const int n = 8192;
    std::unique_ptr<bool[]> done(new (std::align_val_t(64)) bool[n]());
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([&, t] {
            for (int c = t * CHUNK; c < n; c += THREADS * CHUNK)
                for (int i = c; i < c + CHUNK; ++i) {
                    int x = i;
                    for (int k = 0; k < 8; ++k) x = (x & 1) ? 3 * x + 1 : x / 2;
                    *(volatile bool*)&done[i] = x < 9;
                }
        });
    for (auto& t : ts) t.join();
    bool b = done[5];
    ::operator delete[](done.release(), std::align_val_t(64));
    return b ? 0 : 1;
}
