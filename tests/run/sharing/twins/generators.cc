// SPDX-License-Identifier: GPL-2.0-or-later
// The state of a random generator for each thread.
// EXPECT: FalseSharing r 'Pad each element of r .16 bytes. to 64'
#include <array>
#include <cstdint>
#include <thread>
#include <vector>

enum { THREADS = 4 };
#ifdef MENDED
struct alignas(64) Rng {
    std::array<std::uint64_t, 2> s;
};
#else
struct Rng {
    std::array<std::uint64_t, 2> s;
};
#endif
static std::uint64_t next(volatile std::uint64_t* s) {
    std::uint64_t a = s[0], b = s[1];
    s[0] = b;
    a ^= a << 23;
    s[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
    return s[1] + b;
}
int main() {
    std::vector<Rng> r(THREADS);
    for (int t = 0; t < THREADS; ++t) r[t].s = {std::uint64_t(t + 1), 77};
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([&, t] {
            for (int i = 0; i < 4000; ++i) next(r[t].s.data());
        });
    for (auto& t : ts) t.join();
    return 0;
}
