// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a memset of a freed block is an invalid write at the call, with both the allocation and the
// free.
// COMPILE: gcc -O0 -O2 -fno-builtin
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(8));  /* label: A */
    free(p);  /* label: F */
    ESCAPE(p);
    memset(p, 0, 8);  /* expect: InvalidWrite alloc=A free=F */
    return 0;
}
