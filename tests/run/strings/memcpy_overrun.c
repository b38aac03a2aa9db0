// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a memcpy too long for its destination is an invalid write, one too long for its source an
// invalid read, each at the call, however wide the copy's accesses are.
// COMPILE: gcc clang -O0 -O2 -fno-builtin
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* small = HIDE((char*)malloc(40));  /* label: S */
    char* large = HIDE((char*)malloc(48));
    memset(small, 1, 40);
    memset(large, 2, 48);
    memcpy(small, large, 48);  /* expect: InvalidWrite alloc=S */
    memcpy(large, small, 41);  /* expect: InvalidRead alloc=S */
    free(small);
    free(large);
    return 0;
}
