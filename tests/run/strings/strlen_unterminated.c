// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: strlen of a block without a NUL is an invalid read at the call, reported once for all its bytes.
// COMPILE: gcc clang -O0 -O2 -fno-builtin
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(21));  /* label: A */
    memset(p, 'x', 21);
    NEED(strlen(p));  /* expect: InvalidRead alloc=A */
    free(p);
    return 0;
}
