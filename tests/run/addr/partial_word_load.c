// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an 8-byte load whose upper half lies past the end of the block is an invalid read.
// COMPILE: gcc clang -O0 -O2
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    uint32_t* p = HIDE((uint32_t*)malloc(12));  /* label: A */
    p[0] = p[1] = p[2] = 5;
    ESCAPE(p);
    NEED(*(uint64_t*)p);
    NEED(*(uint64_t*)(p + 2));  /* expect: InvalidRead alloc=A text="size 8" only=memspy */
    free(p);
    return 0;
}
