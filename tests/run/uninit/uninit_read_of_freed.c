// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a value read from a freed block is reported as an invalid read only, not again at the branch.
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(40));  /* label: A */
    ESCAPE(p);
    free(p);  /* label: F */
    p = HIDE(p);
    int x = *(volatile int*)(p + 3);  /* expect: InvalidRead alloc=A free=F */
    BRANCH_ON(HIDE(x) == 3);
    return 0;
}
