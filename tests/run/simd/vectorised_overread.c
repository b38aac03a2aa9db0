// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a loop that the compiler turned into 16-byte loads and that reads too far is reported.
// COMPILE: gcc clang -O2 -O3 -ftree-vectorize
#include <stdlib.h>
#include "case.h"

NOINLINE static int sum(const int* p, int n) {
    int total = 0;
    for (int i = 0; i < n; i++)
        total += p[i];  /* expect: InvalidRead alloc=A text="size 16" only=memspy */ /* expect: InvalidRead maybe=yes */ /* expect: InvalidRead maybe=yes */
    return total;
}

int main(void) {
    int* p = HIDE((int*)calloc(62, 4));  /* label: A */
    NEED(sum(p, 60));
    NEED(sum(p, 64));
    free(p);
    return 0;
}
