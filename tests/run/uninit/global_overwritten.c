// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a defined value that overwrites an undefined one in static memory, in the stack and in the heap
// makes it fine.
// EXPECT: nothing
#include <stdlib.h>
#include "case.h"

static volatile int global;

int main(void) {
    int* p = HIDE((int*)malloc(32));
    volatile int local = p[0];
    global = p[1];
    volatile int* copy = HIDE((int*)malloc(4));
    *copy = p[2];
    global = 1;
    local = 2;
    *copy = 3;
    BRANCH_ON(global == 1);
    BRANCH_ON(local == 2);
    BRANCH_ON(*copy == 3);
    free(p);
    free((int*)copy);
    return 0;
}
