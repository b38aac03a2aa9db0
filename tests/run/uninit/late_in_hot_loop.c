// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the element at which a long loop first branches on an undefined value is found, once.
#include <stdlib.h>
#include "case.h"

NOINLINE static int count(const int* p, int n) {
    int found = 0;
#pragma GCC unroll 1
    for (int i = 0; i < n; i++) {
        if (((const volatile int*)p)[i] > 500) { found++; ESCAPE(&found); }  /* expect: UninitCondition origin=A */
    }
    return found;
}

int main(void) {
    int* p = HIDE((int*)malloc(2000 * sizeof(int)));  /* label: A */
    for (int i = 0; i < 1990; i++) p[i] = i;
    for (int i = 0; i < 5; i++) NEED(count(p, 1990));
    NEED(count(p, 2000));
    free(p);
    return 0;
}
