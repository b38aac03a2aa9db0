// SPDX-License-Identifier: GPL-2.0-or-later
// Short rows of a matrix go to the threads in turn.
// EXPECT: FalseSharing store 'a pitch of 64 bytes instead of 24'
#include <thread>
#include <vector>

enum { THREADS = 4 };
#ifdef MENDED
constexpr int P = 16;
#else
constexpr int P = 6;
#endif
struct alignas(64) A64 {
    float f[16];
};
int main() {
    constexpr int rows = 24;
    std::vector<A64> store(rows * P / 16 + 2);
    float* m = store[0].f;
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([m, t] {
            for (int it = 0; it < 120; ++it)
                for (int r = t; r < rows; r += THREADS)
                    for (int k = 0; k < 6; ++k) {
                        volatile float* p = &m[r * P + k];
                        *p = *p * 0.5f + k;
                    }
        });
    for (auto& t : ts) t.join();
    return 0;
}
