// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: over-aligned objects have exact ends.
// COMPILE: gcc clang -O0 -O2
#include "case.h"

struct alignas(128) Wide { int values[32]; };

int main() {
    Wide* wide = HIDE(new Wide[2]);  /* label: A */
    int* data = HIDE(wide[0].values);
    data[63] = 1;
    ESCAPE(data);
    data[64] = 1;  /* expect: InvalidWrite alloc=A */
    ESCAPE(data);
    delete[] wide;
}
