// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: in an array filled up to an index the first undefined element is reported, and none before it.
// COMPILE: gcc clang -O0 -O2
#include <stdlib.h>
#include "case.h"

int main(void) {
    short* p = HIDE((short*)malloc(100 * sizeof(short)));  /* label: A */
    for (int i = 0; i < 57; i++) p[i] = (short)i;
    ESCAPE(p);
    int i = 0;
    for (; i < 57; i++) BRANCH_ON(HIDE(p)[i] < 0);
    BRANCH_ON(HIDE(p)[i] < 0);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
