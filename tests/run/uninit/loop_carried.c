// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a value that becomes undefined in the 1000th iteration of a loop and is used after it is found.
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(1001 * sizeof(int)));  /* label: A */
    for (int i = 0; i < 1000; i++) p[i] = i & 3;
    int sum = 0;
    for (int i = 0; i < 1001; i++) sum += ((volatile int*)p)[i];
    sum = HIDE(sum);
    BRANCH_ON(sum == 1500);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
