// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block that the initialiser of a variable at namespace scope allocates goes by the variable and its line, not by the
// PROVES: compiler's name for the code that runs the initialisers, nor by the library's line that is inlined there
// COMPILE: gcc clang -O0 -O1 -O2 -pthread
// SHARING: FalseSharing text="inside heap block hits of static_initialiser\.cc:12"
// SHARING: FalseSharing text="inside heap block times of static_initialiser\.cc:13"
#include <memory>
#include <thread>
#include <vector>

static std::vector<long> misses(8, 1L);
static std::vector<long> hits(8, 2L);
static std::unique_ptr<long[]> times = std::make_unique<long[]>(8);

static void count(volatile long* counter) {
    for (int i = 0; i < 20000; ++i) ++*counter;
}

static void count_both(volatile long* counters) {
    std::thread first(count, counters), second(count, counters + 1);
    first.join();
    second.join();
}

int main() {
    count_both(&hits[0]);
    count_both(&times[0]);
    return hits[0] + hits[1] == 40004 && misses[3] == 1 && times[0] == 20000 ? 0 : 1;
}
