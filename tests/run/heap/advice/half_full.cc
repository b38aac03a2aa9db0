// SPDX-License-Identifier: GPL-2.0-or-later
// Vectors that have grown keep nearly twice what they need.
#include <cstdio>
#include <vector>

int main() {
    std::vector<std::vector<int>> lists(200);
    for (size_t i = 0; i < lists.size(); ++i) {
#ifdef FIXED
        lists[i].reserve(140);
#endif
        for (int j = 0; j < 140; ++j) lists[i].push_back(j);  // ADVICE: room: allocate what is used
    }
    long sum = 0;
    for (int round = 0; round < 20; ++round)
        for (const std::vector<int>& list : lists)
            for (const int number : list) sum += number * round;
    printf("%ld\n", sum);
}
