// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an unaligned access that begins before the block and ends inside is reported.
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 32));  /* label: A */
    NEED(*(uint32_t*)(p - 2));             /* expect: InvalidRead alloc=A text="size 4" */
    *(volatile uint16_t*)(p - 1) = 3;      /* expect: InvalidWrite alloc=A text="size 2" */
    free(p);
    return 0;
}
