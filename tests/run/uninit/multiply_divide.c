// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: products and quotients of undefined values are undefined, but a multiplication by a power of two keeps the
// low bits defined.
#include <stdlib.h>
#include "case.h"

int main(void) {
    unsigned* p = HIDE((unsigned*)malloc(16));  /* label: A */
    p[0] = 12;
    ESCAPE(p);
    unsigned x = p[1] * HIDE(3u);
    unsigned z = HIDE(p[2] * 16);
    BRANCH_ON(HIDE(x) == 9);   /* expect: UninitCondition origin=A */
    BRANCH_ON((HIDE(z) & 15) == 0);
    unsigned y = (p[3] | 1) / p[0];
    BRANCH_ON(HIDE(y) == 9);   /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
