// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: qsort over a partly filled array reports the comparisons in the test's own function, with one or several
// callers.
#include <stdlib.h>
#include "case.h"

static int compare(const void* a, const void* b) {
    int x = *(const int*)a, y = *(const int*)b;
    BRANCH_ON(x < y);  /* expect: UninitCondition origin=A */
    return 0;
}

int main(void) {
    int* p = HIDE((int*)malloc(2 * sizeof(int)));  /* label: A */
    p[0] = 3;
    ESCAPE(p);
    qsort(p, 2, sizeof(int), compare);
    free(p);
    return 0;
}
