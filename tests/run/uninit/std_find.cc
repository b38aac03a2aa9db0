// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a search by std::find_if over a partly filled vector reports the lambda's comparison.
// COMPILE: gcc clang -O0 -O1
#include <algorithm>
#include <cstdlib>
#include "case.h"

int main() {
    int* numbers = HIDE(static_cast<int*>(std::malloc(5 * sizeof(int))));  /* label: A */
    for (int i = 0; i < 4; i++) numbers[i] = i;
    auto* hit = std::find_if(numbers, numbers + 5, [](int n) {
        BRANCH_ON(n == 17);  /* expect: UninitCondition origin=A */
        return false;
    });
    NEED(hit - numbers);
    std::free(numbers);
}
