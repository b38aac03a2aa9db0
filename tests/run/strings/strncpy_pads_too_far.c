// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: strncpy writes NULs up to its limit, which must be in the block as well as the text.
// COMPILE: gcc -O0 -O2 -fno-builtin
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(10));  /* label: A */
    strncpy(p, "abc", 11);  /* expect: InvalidWrite alloc=A */
    free(p);
    return 0;
}
