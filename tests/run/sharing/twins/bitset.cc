// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread sets a word of one bitset.
// EXPECT: FalseSharing marks 'Several threads set bits in the same lines of marks'
#include <bitset>
#include <thread>
#include <vector>

enum { THREADS = 4 };
#ifdef MENDED
static struct alignas(64) { std::bitset<64> b; } marks[THREADS];
#define M(t, i) marks[t].b[i]
#else
static std::bitset<64 * THREADS> marks;
#define M(t, i) marks[(t)*64 + (i)]
#endif
int main() {
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([t] {
            for (int r = 0; r < 60; ++r)
                for (int i = 0; i < 64; ++i) M(t, i) = (i + r) & 1;
        });
    for (auto& t : ts) t.join();
    return 0;
}
