// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a shift by an undefined amount has an undefined result.
#include <stdlib.h>
#include "case.h"

int main(void) {
    unsigned char* p = HIDE((unsigned char*)malloc(2));  /* label: A */
    ESCAPE(p);
    unsigned x = HIDE(0x12345678u) >> (p[1] & 31);
    BRANCH_ON(HIDE(x) == 1);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
