// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined value that goes through stack slots and a call's argument is found at its use.
// COMPILE: gcc clang -O0 -O1 -O2
#include <stdlib.h>
#include "case.h"

NOINLINE static int decide(int value) {
    int copy = value;
    ESCAPE(&copy);
    BRANCH_ON(copy > 10);  /* expect: UninitCondition origin=A */
    return 0;
}

int main(void) {
    int* p = HIDE((int*)malloc(sizeof(int)));  /* label: A */
    int local = *p;
    ESCAPE(&local);
    decide(local);
    free(p);
    return 0;
}
