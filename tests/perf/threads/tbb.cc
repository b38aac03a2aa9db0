// SPDX-License-Identifier: GPL-2.0-or-later
#include <tbb/tbb.h>
#include <cstdio>
#include <vector>
int main() {
    std::vector<int> numbers(4000);
    tbb::parallel_for(tbb::blocked_range<int>(0, 4000, 200), [&](const auto& r) {
        for (int i = r.begin(); i != r.end(); ++i) numbers[i] = i * 37 % 4001;
    });
    tbb::parallel_sort(numbers.begin(), numbers.end());
    tbb::concurrent_hash_map<int, int> table;
    tbb::parallel_for(0, 400, [&](int i) {
        tbb::concurrent_hash_map<int, int>::accessor at;
        table.insert(at, i % 13);
        at->second += numbers[i];
    });
    long sum = tbb::parallel_reduce(tbb::blocked_range<int>(0, 4000), 0L,
        [&](const auto& r, long s) { for (int i = r.begin(); i != r.end(); ++i) s += numbers[i]; return s; },
        [](long a, long b) { return a + b; });
    tbb::task_group group;
    tbb::concurrent_queue<int> queue;
    for (int i = 0; i < 20; ++i) group.run([&, i] { queue.push(i); });
    group.wait();
    std::printf("%ld %zu %zu\n", sum, table.size(), static_cast<size_t>(queue.unsafe_size()));
}
