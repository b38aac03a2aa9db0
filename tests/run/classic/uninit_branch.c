// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: p[1] = p[1] + 1 on fresh memory is silent; the branch on the result is reported once.
// COMPILE: gcc clang -O0 -O1 -O2
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(10 * sizeof(int)));  /* label: A */
    p[1] = p[1] + 1;
    ESCAPE(p);
    BRANCH_ON(p[1] == 7);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
