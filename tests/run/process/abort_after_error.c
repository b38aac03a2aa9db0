// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: abort leaves well-formed XML with the errors found before it.
// EXPECT-EXIT: -6
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(10));  /* label: A */
    BRANCH_ON(*(volatile int*)p == 4);  /* expect: UninitCondition origin=A */
    free(p);
    abort();
}
