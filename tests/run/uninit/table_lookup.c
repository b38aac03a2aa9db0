// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined index into a table is a use of the value as an address.
// COMPILE: gcc clang -O0 -O2
#include <stdlib.h>
#include "case.h"

static volatile int table[256];

int main(void) {
    unsigned char* p = HIDE((unsigned char*)malloc(16));  /* label: A */
    ESCAPE(p);
    NEED(table[p[7]]);  /* expect: UninitValue origin=A text="size 8" */
    free(p);
    return 0;
}
