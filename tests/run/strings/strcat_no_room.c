// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a strcat that ends one byte behind the block is an invalid write at the call.
// COMPILE: gcc -O0 -O2 -fno-builtin
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(12));  /* label: A */
    strcpy(p, "12345678");
    strcat(p, "9abc");  /* expect: InvalidWrite alloc=A */
    free(p);
    return 0;
}
