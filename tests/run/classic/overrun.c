// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: writes at [10] and [11] of an int[10] are reported once each, with the line of the allocation.
// COMPILE: gcc clang -O0 -O1 -O2
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(10 * sizeof(int)));  /* label: A */
    for (int i = 0; i < 10; i++) p[i] = i;
    ESCAPE(p);
    p[10] = 10;  /* expect: InvalidWrite alloc=A free=none text="size 4" */
    ESCAPE(p);
    p[11] = 11;  /* expect: InvalidWrite alloc=A free=none text="size 4" */
    ESCAPE(p);
    free(p);
    return 0;
}
