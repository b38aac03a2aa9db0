// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a memcmp that reads a freed block is an invalid read at the call.
// COMPILE: gcc -O0 -O2 -fno-builtin
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 8));  /* label: A */
    free(p);  /* label: F */
    ESCAPE(p);
    static const char zeros[8];
    NEED(memcmp(p, zeros, 4));  /* expect: InvalidRead alloc=A free=F */
    return 0;
}
