// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: printf of a string without its terminator reports the use of undefined bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(16));  /* label: A */
    memcpy(p, "abc", 3);
    if (strlen(p) > 100) return 1;  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
// EXPECT-EXIT: 0
