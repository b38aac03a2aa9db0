// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a strcpy whose NUL has no room is an invalid write at the call.
// COMPILE: gcc clang -O0 -O2 -fno-builtin
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(5));  /* label: A */
    strcpy(p, "hello");  /* expect: InvalidWrite alloc=A */
    free(p);
    return 0;
}
