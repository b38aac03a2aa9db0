// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: errors of a program whose debug information is split (DWARF 5) have their lines, on each processor.
// COMPILE: gcc clang -O0 -O2 -gdwarf-5 -gsplit-dwarf
#include <stdlib.h>

#include "case.h"

NOINLINE static void write_to(volatile int* p, int i) {
    p[i] = 1; /* expect: InvalidWrite alloc=A */
}

int main(void) {
    int* p = malloc(16); /* label: A */
    ESCAPE(p);
    write_to(p, 4);
    BRANCH_ON(HIDE(p)[2] == 3); /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
