// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a write to a freed block is reported once, with the stacks of its allocation and of its free.
// COMPILE: gcc clang -O0 -O1 -O2
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(10 * sizeof(int)));  /* label: A */
    p[3] = 1;
    ESCAPE(p);
    free(p);  /* label: F */
    ESCAPE(p);
    p[3] = 2;  /* expect: InvalidWrite alloc=A free=F text="size 4" */
    ESCAPE(p);
    return 0;
}
