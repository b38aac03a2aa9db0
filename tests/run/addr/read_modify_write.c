// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: `p[i]++` past the end is an invalid read and an invalid write, each reported once.
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)calloc(4, sizeof(int)));  /* label: A */
#pragma GCC unroll 1
    for (int i = 0; i < 100; i++) {  /* expect: InvalidRead maybe=yes only=memcheck */
        ((volatile int*)p)[4]++;  /* expect: InvalidRead alloc=A */ /* expect: InvalidWrite alloc=A */
    }
    free(p);
    return 0;
}
