// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a 4-byte load that hangs over the end by 1, 2 and 3 bytes is reported for each.
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 13));  /* label: A */
    NEED(*(uint32_t*)(p + 9));
    NEED(*(uint32_t*)(p + 10));  /* expect: InvalidRead alloc=A text="size 4" */
    NEED(*(uint32_t*)(p + 11));  /* expect: InvalidRead alloc=A text="size 4" */
    NEED(*(uint32_t*)(p + 12));  /* expect: InvalidRead alloc=A text="size 4" only=memspy */
    free(p);
    return 0;
}
