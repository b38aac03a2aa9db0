// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: masks and shifts that drop the undefined bits leave a defined value.
// COMPILE: gcc clang -O0 -O1 -O2
// EXPECT: nothing
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    uint8_t* p = HIDE((uint8_t*)malloc(8));
    p[1] = 0x5a;
    p[6] = 0x33;
    ESCAPE(p);
    uint64_t word = HIDE(*(volatile uint64_t*)p);
    BRANCH_ON(((word >> 8) & 0xff) == 0x5a);
    BRANCH_ON((uint8_t)(word >> 48) == 0x33);
    BRANCH_ON((HIDE(word << 48) >> 56) == 0x5a);
    BRANCH_ON((word & 0xff00) == 0x5a00);
    BRANCH_ON((word & 0) == 0);
    free(p);
    return 0;
}
