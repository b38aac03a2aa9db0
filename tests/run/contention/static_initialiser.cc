// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block that the initialiser of a variable at namespace scope allocates goes by the variable and its line, not by the
// PROVES: compiler's name for the code that runs the initialisers
// COMPILE: gcc -O0 -O1 -pthread
// SHARING: FalseSharing text="inside heap block hits of static_initialiser\.cc:10"
#include <thread>
#include <vector>

static std::vector<long> misses(8, 1L);
static std::vector<long> hits(8, 2L);

static void count(volatile long* counter) {
    for (int i = 0; i < 20000; ++i) ++*counter;
}

int main() {
    std::thread first(count, &hits[0]), second(count, &hits[1]);
    first.join();
    second.join();
    return hits[0] + hits[1] == 40004 && misses[3] == 1 ? 0 : 1;
}
