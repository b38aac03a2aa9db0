// SPDX-License-Identifier: GPL-2.0-or-later
// Buckets of a table that do not begin at lines, with a lock each.
// EXPECT: TrueSharing buckets_ 'Align heap block m.buckets_ to 64 bytes'
#include <list>
#include <mutex>
#include <thread>
#include <vector>

enum { THREADS = 4 };
#ifdef MENDED
struct alignas(64) Bucket {
#else
struct Bucket {
#endif
    std::mutex lock;
    std::vector<std::pair<int, int>> items;
};
class Map {
    std::vector<Bucket> buckets_;

public:
    Map() : buckets_(64) {
        for (auto& b : buckets_) b.items.reserve(16);
    }
    void put(int k, int v) {
        auto& b = buckets_[unsigned(k * 2654435761u) >> 26];
        std::lock_guard<std::mutex> g(b.lock);
        for (auto& p : b.items)
            if (p.first == k) {
                p.second = v;
                return;
            }
        b.items.emplace_back(k, v);
    }
};
int main() {
    Map m;
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([&, t] {
            unsigned s = t + 7;
            for (int i = 0; i < 2500; ++i) {
                s = s * 1664525 + 1013904223;
                m.put((s >> 16) % 200, i);
            }
        });
    for (auto& t : ts) t.join();
    return 0;
}
