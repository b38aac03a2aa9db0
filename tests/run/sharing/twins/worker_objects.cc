// SPDX-License-Identifier: GPL-2.0-or-later
// Small objects of threads, which unique pointers hold.
// EXPECT: FalseSharing main 'Align the blocks to 64'
#include <memory>
#include <thread>
#include <vector>

enum { THREADS = 4 };
#ifdef MENDED
struct alignas(64) Worker {
#else
struct Worker {
#endif
    long done = 0;
    long failed = 0;
    void step(int i) {
        volatile long* d = &done;
        if (i % 3)
            *d = *d + 1;
        else {
            volatile long* f = &failed;
            *f = *f + 1;
        }
    }
};
int main() {
    std::vector<std::unique_ptr<Worker>> ws;
    for (int t = 0; t < THREADS; ++t) ws.push_back(std::make_unique<Worker>());
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([w = ws[t].get()] {
            for (int i = 0; i < 8000; ++i) w->step(i);
        });
    for (auto& t : ts) t.join();
    return ws[0]->done ? 0 : 1;
}
