// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: malloc(0) gives a block of no bytes: unique, freeable, and its first byte is out of bounds.
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* a = HIDE((char*)malloc(0));  /* label: A */
    char* b = HIDE((char*)malloc(0));
    if (!a || !b || a == b) return 1;
    NEED(((volatile char*)a)[0]);  /* expect: InvalidRead alloc=A free=none text="block of size 0|overflow" */
    free(a);
    free(b);
    return 0;
}
