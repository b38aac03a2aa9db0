// SPDX-License-Identifier: GPL-2.0-or-later
// A class has a std::array with an element for each thread.
// EXPECT: FalseSharing pool 'Pad each element of pool->counts_ .8 bytes. to 64'
#include <array>
#include <thread>
#include <vector>

enum { THREADS = 4 };
#ifdef MENDED
struct alignas(64) Slot {
    long v = 0;
};
#else
struct Slot {
    long v = 0;
};
#endif
class Pool {
    std::array<Slot, THREADS> counts_{};
    std::vector<int> input_;

public:
    Pool() : input_(20000, 3) {}
    void run(int t) {
        for (size_t i = t; i < input_.size(); i += THREADS)
            if (input_[i] == 3) ++*(volatile long*)&counts_[t].v;
    }
    long total() {
        long s = 0;
        for (auto& c : counts_) s += c.v;
        return s;
    }
};
int main() {
    auto* pool = new Pool;
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t) ts.emplace_back(&Pool::run, pool, t);
    for (auto& t : ts) t.join();
    long s = pool->total();
    delete pool;
    return s == 20000 ? 0 : 1;
}
