// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: realloc keeps the content defined, and the end of the grown block is exact.
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 40));
    p[39] = 9;
    p = HIDE((char*)realloc(p, 1000));  /* label: R */
    BRANCH_ON(p[39] == 9);
    if (p[39] != 9 || p[0] != 0) return 1;
    ((volatile char*)p)[999] = 1;
    ((volatile char*)p)[1000] = 1;  /* expect: InvalidWrite alloc=R */
    free(p);
    return 0;
}
