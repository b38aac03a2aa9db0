// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: of several variables that are declared on the line of an allocation, the block has the name of that one in front of
// PROVES: the call
// COMPILE: gcc -O1 -pthread
// SHARING: FalseSharing text="misses"
#include <thread>
#include <vector>

static void count(volatile long* counter) {
    for (int i = 0; i < 20000; ++i) ++*counter;
}

int main() {
    std::vector<long> hits(8, 1L), misses(8, 2L), lost(8, 3L);
    std::thread first(count, &misses[0]), second(count, &misses[1]);
    first.join();
    second.join();
    return misses[0] + misses[1] == 40004 && hits[3] + lost[4] == 4 ? 0 : 1;
}
