// SPDX-License-Identifier: GPL-2.0-or-later
// Two arrays on the heap, one behind the other, each with an element for each thread: both are to be changed.
// EXPECT: FalseSharing 'of main' 'Pad each element of (counts|sums) .(8|24) bytes. to 64.*; pad each element of (counts|sums) .(8|24) bytes. to 64' several
#include <thread>
#include <vector>

#ifdef MENDED
#define OWN_LINE alignas(64)
#else
#define OWN_LINE
#endif

struct OWN_LINE Count {
    volatile long hits;
};
struct OWN_LINE Sum {
    volatile double sum;
    volatile long values, last;
};

int main() {
    std::vector<Count> counts(4);
    std::vector<Sum> sums(4);
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index)
        threads.emplace_back([&counts, &sums, index] {
            for (int i = 0; i < 20000; ++i) {
                counts[index].hits = counts[index].hits + 1;
                sums[index].sum = sums[index].sum + i;
                sums[index].values = sums[index].values + 1;
                sums[index].last = i;
            }
        });
    for (std::thread& thread : threads) thread.join();
    return sums[3].values == 20000 && counts[3].hits == 20000 ? 0 : 1;
}
