// SPDX-License-Identifier: GPL-2.0-or-later
// The bits of one vector go to the threads in turn.
// EXPECT: FalseSharing seen 'Several threads set bits in the same lines of heap block seen'
#include <thread>
#include <vector>

enum { THREADS = 4 };
int main() {
#ifdef MENDED
    std::vector<std::vector<bool>> seen(THREADS, std::vector<bool>(600));
#else
    std::vector<bool> seen(600 * THREADS);
#endif
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([&, t] {
            for (int r = 0; r < 10; ++r)
                for (int i = 0; i < 600; ++i)
#ifdef MENDED
                    seen[t][i] = (i * r) % 3 == 0;
#else
                    seen[i * THREADS + t] = (i * r) % 3 == 0;
#endif
        });
    for (auto& t : ts) t.join();
    return 0;
}
