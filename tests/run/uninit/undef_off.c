// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: --undef-value-errors=no silences undefined values but not invalid accesses.
// ARGS: --undef-value-errors=no
#include <stdlib.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(40));  /* label: A */
    ESCAPE(p);
    BRANCH_ON(p[2] == 3);
    p[10] = 1;  /* expect: InvalidWrite alloc=A */
    ESCAPE(p);
    free(p);
    return 0;
}
