// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a strcmp whose result depends on an undefined bit is a use of an undefined condition at the call.
// COMPILE: gcc -O0 -O2 -fno-builtin
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* origin = HIDE((char*)malloc(1));  /* label: A */
    char* p = HIDE((char*)malloc(5));
    strcpy(p, "abcp");
    p[3] = (char)('p' | (origin[0] & 1));  // 'p' or 'q'
    NEED(strcmp(p, "abcq"));  /* expect: UninitCondition origin=A */
    free(p);
    free(origin);
    return 0;
}
