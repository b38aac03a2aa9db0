// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: std::sort of a filled array is silent, and the branch on its first element too.
// EXPECT: nothing
#include <algorithm>
#include <cstdlib>
#include "case.h"

int main() {
    int* numbers = HIDE(static_cast<int*>(std::malloc(1000 * sizeof(int))));
    for (int i = 0; i < 900; i++) numbers[i] = (i * 7919) % 1000;
    std::sort(numbers, numbers + 900);
    BRANCH_ON(numbers[0] == 0);
    if (!std::is_sorted(numbers, numbers + 900)) return 1;
    std::free(numbers);
}
