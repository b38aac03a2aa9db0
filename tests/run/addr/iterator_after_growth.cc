// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: using a pointer into a vector that has since grown is a use after free.
#include <vector>
#include "case.h"

int main() {
    std::vector<long> numbers(4, 1);  /* label: A */
    long* first = HIDE(&numbers[0]);
    numbers.insert(numbers.end(), 100, 2);  /* label: F */
    NEED(*first);  /* expect: InvalidRead alloc=A free=F */
}
