// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: bytes added by realloc are undefined and come from the realloc; the others keep their state.
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(4 * sizeof(int)));  /* label: A */
    p[0] = p[1] = p[3] = 1;
    ESCAPE(p);
    p = HIDE((int*)realloc(p, 1000 * sizeof(int)));  /* label: R */
    BRANCH_ON(p[0] == 1);
    BRANCH_ON(p[3] == 1);
    BRANCH_ON(p[4] == 1);    /* expect: UninitCondition origin=R */
    BRANCH_ON(p[999] == 1);  /* expect: UninitCondition origin=R */
    BRANCH_ON(p[2] == 1);    /* expect: UninitCondition */
    free(p);
    return 0;
}
