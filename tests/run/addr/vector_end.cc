// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an index past a vector's capacity is reported with the stack of the vector's allocation.
#include <vector>
#include "case.h"

int main() {
    std::vector<int> numbers;
    numbers.reserve(8);  /* label: A */
    for (int i = 0; i < 8; i++) numbers.push_back(i);
    int* data = HIDE(numbers.data());
    data[8] = 1;  /* expect: InvalidWrite alloc=A */
    ESCAPE(data);
}
