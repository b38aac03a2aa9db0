// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: masks and shifts that keep an undefined bit do not hide it.
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    uint8_t* p = HIDE((uint8_t*)malloc(8));  /* label: A */
    p[1] = 0x5a;
    p[6] = 0x33;
    ESCAPE(p);
    uint64_t word = HIDE(*(volatile uint64_t*)p);
    BRANCH_ON(((word >> 7) & 0xff) == 0xb4);      /* expect: UninitCondition origin=A */
    BRANCH_ON((HIDE(word << 40) >> 56) == 0x11);  /* expect: UninitCondition origin=A */
    BRANCH_ON((word & 0x1ff00) == 0x5a00);        /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
