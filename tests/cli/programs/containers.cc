// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that compete for elements of a vector, and for values in a map: the C++ library allocates the blocks.
#include <map>
#include <string>
#include <thread>
#include <vector>

static std::vector<long> counters;
static std::map<int, long> named;

template <class T>
__attribute__((noinline)) static std::vector<T> make_counters(int n) {
    std::vector<T> made;
    for (int i = 0; i < n; ++i) made.push_back(i);
    return made;
}

__attribute__((noinline)) static void fill_map(int n) {
    for (int i = 0; i < n; ++i) named[i] = i;
}

int main() {
    counters = make_counters<long>(4);
    if (std::stol("4") != 4) return 1;  // errno is thread-local
    fill_map(4);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([k] {
            for (int i = 0; i < 5000; ++i) {
                ++*(volatile long*)&counters[k];
                ++*(volatile long*)&named[k];
            }
        });
    for (std::thread& thread : threads) thread.join();
    return 0;
}
