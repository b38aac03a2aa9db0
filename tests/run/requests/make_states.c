// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: MEMSPY_MAKE_MEM_NOACCESS, _UNDEFINED and _DEFINED set these states, on the heap and outside it.
// TOOL: memspy
#include <stdlib.h>
#include "case.h"
#include "memspy.h"

static int area[64];

int main(void) {
    volatile int* p = HIDE((int*)malloc(40));  /* label: A */
    MEMSPY_MAKE_MEM_DEFINED(p, 40);
    BRANCH_ON(p[3] == 7);
    MEMSPY_MAKE_MEM_NOACCESS(p + 2, 8);
    p[1] = 1;
    p[2] = 1;  /* expect: InvalidWrite */
    NEED(p[3]);  /* expect: InvalidRead */
    p[4] = 1;
    MEMSPY_MAKE_MEM_UNDEFINED(p + 2, 8);
    p[2] = 1;
    BRANCH_ON(p[2] == 7);
    BRANCH_ON(p[3] == 7);  /* expect: UninitCondition */
    free((void*)p);
    volatile int* q = HIDE(&area[0]);
    BRANCH_ON(q[5] == 7);
    MEMSPY_MAKE_MEM_NOACCESS(q + 8, 4);
    q[7] = q[9] = 1;
    q[8] = 1;  /* expect: InvalidWrite */
    MEMSPY_MAKE_MEM_UNDEFINED(q + 16, 4);
    BRANCH_ON(q[16] == 7);  /* expect: UninitCondition */
    MEMSPY_MAKE_MEM_DEFINED(q + 8, 4);
    q[8] = 1;
    return 0;
}
