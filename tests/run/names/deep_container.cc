// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: where containers without optimisation have more than a dozen functions of their own between a line of the program
// PROVES: and the allocator, the blocks go by that line
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: COUNT=20000
// SHARING: FalseSharing text="heap block cells of main .deep_container.cc:[0-9]+"
#include <vector>

#include "workers.h"

static std::vector<std::vector<long>>* all;

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) INCREMENT((*all)[0][index]);
}

int main() {
    std::vector<std::vector<long>> cells(3, std::vector<long>(8));
    all = &cells;
    run_together(3, work);
    return 0;
}
