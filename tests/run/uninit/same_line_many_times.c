// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a faulty branch that runs 10,000 times is reported once.
#include <stdlib.h>
#include "case.h"

NOINLINE static void look(const int* p) {
    BRANCH_ON(*p == 3);  /* expect: UninitCondition origin=A */
}

int main(void) {
    int* p = HIDE((int*)malloc(40));  /* label: A */
    for (int i = 0; i < 10000; i++) look(p + i % 10);
    free(p);
    return 0;
}
