// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has an element of a vector of main; the blocks that std::thread allocates may lie beside it.
// EXPECT: FalseSharing 'heap block totals of main' 'Pad each element of totals .24 bytes. to 64.*on struct Totals.*To change: main'
#include <thread>
#include <vector>

struct
#ifdef MENDED
    alignas(64)
#endif
        Totals {
    volatile double sum;
    volatile long values;
    volatile int last;
};

int main() {
    std::vector<Totals> totals(4);
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index)
        threads.emplace_back([&totals, index] {
            Totals& own = totals[index];
            for (int i = 0; i < 20000; ++i) {
                own.sum = own.sum + i;
                own.values = own.values + 1;
                own.last = i;
            }
        });
    for (std::thread& thread : threads) thread.join();
    return totals[3].values == 20000 ? 0 : 1;
}
