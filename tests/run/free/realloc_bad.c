// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: realloc of a freed pointer is an invalid free and returns NULL.
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(20));  /* label: A */
    free(p);  /* label: F */
    char* q = HIDE((char*)realloc(HIDE(p), 40));  /* expect: InvalidFree alloc=A free=F */
    return q != 0;
}
