// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: VALGRIND_RESIZEINPLACE_BLOCK moves the end of a described block, both ways.
#include <stdlib.h>
#include <valgrind/valgrind.h>
#include "case.h"

static char arena[4096];

int main(void) {
    char* p = HIDE(&arena[64]);
    VALGRIND_MALLOCLIKE_BLOCK(p, 100, 16, 1);  /* label: A */
    ((volatile char*)p)[99] = 1;
    VALGRIND_RESIZEINPLACE_BLOCK(p, 100, 50, 16);
    ((volatile char*)p)[49] = 1;
    ((volatile char*)p)[50] = 1;  /* expect: InvalidWrite alloc=A */
    VALGRIND_RESIZEINPLACE_BLOCK(p, 50, 200, 16);
    ((volatile char*)p)[199] = 1;
    ((volatile char*)p)[200] = 1;  /* expect: InvalidWrite alloc=A */
    VALGRIND_FREELIKE_BLOCK(p, 16);
    return 0;
}
