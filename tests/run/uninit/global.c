// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined value stored in a global variable stays undefined there, with its origin.
#include <stdlib.h>
#include "case.h"

static long global;

NOINLINE static void store(const long* p) { global = p[2]; }
NOINLINE static void use(void) {
    BRANCH_ON(global == 0);  /* expect: UninitCondition origin=A */
}

int main(void) {
    long* p = HIDE((long*)malloc(32));  /* label: A */
    ESCAPE(p);
    store(p);
    free(p);
    use();
    return 0;
}
