// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: comparisons and arithmetic whose result does not depend on the undefined bits are silent.
// EXPECT: nothing
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    uint32_t* p = HIDE((uint32_t*)malloc(8));
    ESCAPE(p);
    uint32_t x = HIDE(((volatile uint32_t*)p)[0]);
    BRANCH_ON((HIDE(x | 0x10000) & 0x10000) != 0);
    BRANCH_ON((HIDE(x & 0xff) >> 8) == 0);
    BRANCH_ON((HIDE(x | 1) & 1) == 1);
    uint32_t y = HIDE((x << 8) | 7);
    BRANCH_ON((uint8_t)y == 7);
    BRANCH_ON((uint8_t)(y + 3) == 10);
    // Known to differ in a defined bit, whatever the others are.
    BRANCH_ON(HIDE(x | 1) == 4);
    free(p);
    return 0;
}
