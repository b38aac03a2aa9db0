// SPDX-License-Identifier: GPL-2.0-or-later
// A count of what is done beside the constants of the job.
// EXPECT: - job 'Several threads only add to job.done'
#include <atomic>
#include <thread>
#include <vector>

enum { THREADS = 4 };
struct Job {
    const double* in;
    double* out;
    size_t n;
    std::atomic<size_t> done{0};
};
int main() {
    std::vector<double> in(8000, 1.5), out(8000 + THREADS * 8);
    Job job{in.data(), out.data(), in.size()};
    std::vector<std::thread> ts;
    for (int t = 0; t < THREADS; ++t)
        ts.emplace_back([&job, t] {
            size_t lo = job.n * t / THREADS, hi = job.n * (t + 1) / THREADS;
#ifdef MENDED
            struct alignas(64) {
                std::atomic<size_t> done{0};
            } own;
#else
            auto& own = job;
#endif
            for (size_t i = lo; i < hi; ++i) {
                volatile double* o = job.out;
                o[i + t * 8] = job.in[i] * job.n;
                if (i % 4 == 0) own.done.fetch_add(4, std::memory_order_relaxed);
            }
#ifdef MENDED
            job.done += own.done;
#endif
        });
    for (auto& t : ts) t.join();
    return job.done ? 0 : 1;
}
