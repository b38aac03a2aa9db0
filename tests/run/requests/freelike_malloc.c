// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: FREELIKE of a block of malloc's is a free by the wrong function, after which the block is freed; of the inside of
// PROVES: one, or twice, it is an invalid free; a resize that is told a wrong size, or zero, is one, too, and does nothing
// ARGS: --leak-check=no
// COMPILE: gcc clang -O0 -O2
#include <stdlib.h>
#include <valgrind/valgrind.h>
#include "case.h"

static char arena[256];

int main(void) {
    volatile char* p = HIDE((volatile char*)malloc(40));  /* label: A */
    VALGRIND_FREELIKE_BLOCK(p + 8, 0);  /* expect: InvalidFree alloc=A */
    p[39] = 1;
    VALGRIND_FREELIKE_BLOCK(p, 0);      /* expect: MismatchedFree alloc=A */ /* label: F */
    NEED(p[39]);                        /* expect: InvalidRead alloc=A free=F */
    VALGRIND_FREELIKE_BLOCK(p, 0);      /* expect: InvalidFree */
    BARRIER();

    volatile char* q = HIDE((volatile char*)arena + 32);
    VALGRIND_MALLOCLIKE_BLOCK(q, 20, 16, 1);
    VALGRIND_RESIZEINPLACE_BLOCK(q, 19, 30, 16);  /* expect: InvalidFree */
    VALGRIND_RESIZEINPLACE_BLOCK(q, 20, 0, 16);   /* expect: InvalidFree */
    NEED(q[19]);
    NEED(q[20]);                                  /* expect: InvalidRead */
    VALGRIND_RESIZEINPLACE_BLOCK(q, 20, 30, 16);
    q[29] = 1;
    VALGRIND_FREELIKE_BLOCK(q, 16);
    return 0;
}
