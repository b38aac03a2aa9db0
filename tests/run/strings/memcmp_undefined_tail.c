// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: memcmp of data that differ before the first undefined byte is silent: the bytes behind the difference do
// not affect the result.
// COMPILE: gcc -O0 -O2 -fno-builtin
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    for (unsigned written = 1; written < 40; written++) {
        char* a = HIDE((char*)malloc(48));
        char* b = HIDE((char*)malloc(48));
        memset(a, 'x', written);
        memset(b, 'x', written);
        b[written - 1] = 'y';
        BRANCH_ON(memcmp(a, b, 48) < 0);
        free(a);
        free(b);
    }
    return 0;
}
