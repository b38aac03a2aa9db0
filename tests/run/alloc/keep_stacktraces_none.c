// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: --keep-stacktraces decides which of a block's two stacks a report has, of malloc'ed blocks and of described ones
// ARGS: --leak-check=no --keep-stacktraces=none
#include <stdlib.h>
#include <valgrind/valgrind.h>
#include "case.h"

static char arena[256];

int main(void) {
    volatile char* p = HIDE((volatile char*)malloc(10));  /* label: A */
    p[10] = 1;                                            /* expect: InvalidWrite alloc=none */
    free((void*)p);                                       /* label: F */
    p[3] = 1;                                             /* expect: InvalidWrite free=none alloc=none */
    volatile char* q = HIDE(arena + 32);
    VALGRIND_MALLOCLIKE_BLOCK(q, 20, 16, 0);              /* label: B */
    q[-1] = 1;                                            /* expect: InvalidWrite alloc=none */
    VALGRIND_FREELIKE_BLOCK(q, 16);                       /* label: G */
    q[19] = 1;                                            /* expect: InvalidWrite free=none alloc=none */
    return 0;
}
