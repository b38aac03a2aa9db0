// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread sets a part of the bits of one vector.
// EXPECT: FalseSharing seen 'Several threads set bits in the same lines of heap block seen: .*512 bits'
#include <thread>
#include <vector>

enum { THREADS = 4 };
int main() {
    std::vector<bool> seen(THREADS * 512 + 512);
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([&, t] {
#ifdef MENDED
            const size_t past_line = reinterpret_cast<size_t>(seen.begin()._M_p) % 64;
            const size_t first = (past_line != 0 ? 512 - past_line * 8 : 0) + t * 512;
#else
            const size_t first = t * 200;
#endif
            for (int r = 0; r < 25; ++r)
                for (int i = 0; i < 200; ++i) seen[first + i] = (i * r) % 3 == 0;
        });
    for (auto& t : ts) t.join();
    return 0;
}
