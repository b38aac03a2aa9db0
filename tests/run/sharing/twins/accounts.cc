// SPDX-License-Identifier: GPL-2.0-or-later
// Accounts with a lock each, taken at random.
// EXPECT: TrueSharing bank 'Pad each element of bank .56 bytes. to 64'
#include <mutex>
#include <thread>
#include <vector>

enum { THREADS = 4 };
struct Account {
    std::mutex m;
    long balance = 0, ops = 0;
};
#ifdef MENDED
struct alignas(64) Acc : Account {};
#else
struct Acc : Account {};
#endif
int main() {
    std::vector<Acc> bank(32);
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([&, t] {
            unsigned s = t + 1;
            for (int i = 0; i < 3000; ++i) {
                s = s * 1664525 + 1013904223;
                auto& a = bank[(s >> 24) % 32];
                {
                    std::lock_guard<std::mutex> g(a.m);
                    a.balance += i;
                    a.ops++;
                }
                for (volatile int k = 0; k < 30; ++k)
                    ;
            }
        });
    for (auto& t : ts) t.join();
    return bank[0].ops > 0 ? 0 : 1;
}
