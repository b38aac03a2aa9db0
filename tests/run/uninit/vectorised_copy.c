// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a vectorised byte-wise copy and transformation is silent and keeps each byte's state.
// COMPILE: gcc clang -O2 -O3 -ftree-vectorize
#include <stdlib.h>
#include "case.h"

NOINLINE static void flip(unsigned char* restrict to, const unsigned char* restrict from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i] ^ 0x80;
}

int main(void) {
    unsigned char* a = HIDE((unsigned char*)malloc(100));  /* label: A */
    unsigned char* b = HIDE((unsigned char*)malloc(100));
    for (int i = 0; i < 100; i++)
        if (i != 50) ((volatile unsigned char*)a)[i] = 1;
    flip(b, a, 100);
    ESCAPE(b);
    BRANCH_ON(b[49] == 0x81);
    BRANCH_ON(b[51] == 0x81);
    BRANCH_ON(b[50] == 0x81);  /* expect: UninitCondition origin=A */
    free(a);
    free(b);
    return 0;
}
