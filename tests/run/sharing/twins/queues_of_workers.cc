// SPDX-License-Identifier: GPL-2.0-or-later
// A queue with a lock for each worker, in a vector.
// EXPECT: FalseSharing queues 'Pad each element of queues .120 bytes. to 128'
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

enum { THREADS = 4 };
#ifdef MENDED
struct alignas(64) Queue {
#else
struct Queue {
#endif
    std::mutex m;
    std::deque<int> q;
};
int main() {
    std::vector<Queue> queues(THREADS);
    for (int t = 0; t < THREADS; ++t)
        for (int i = 0; i < 2000; ++i) queues[t].q.push_back(i);
    std::vector<std::thread> ts;
    static long sums[THREADS * 16];
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([&, t] {
            long s = 0;
            for (;;) {
                int job = -1;
                {
                    std::lock_guard<std::mutex> g(queues[t].m);
                    if (!queues[t].q.empty()) {
                        job = queues[t].q.front();
                        queues[t].q.pop_front();
                    }
                }
                if (job < 0) break;
                volatile int w = 0;
                for (int k = 0; k < 20; ++k) w += k;
                s += job;
            }
            sums[t * 16] = s;
        });
    for (auto& t : ts) t.join();
    return sums[0] > 0 ? 0 : 1;
}
