// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the tail that realloc cut off is no longer addressable.
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 100));
    p = HIDE((char*)realloc(p, 40));  /* label: R */
    ((volatile char*)p)[39] = 1;
    ((volatile char*)p)[40] = 1;  /* expect: InvalidWrite alloc=R */
    NEED(((volatile char*)p)[99]);  /* expect: InvalidRead */
    free(p);
    return 0;
}
