// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an 8-byte store whose upper half lies past the end of the block is an invalid write.
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    uint32_t* p = HIDE((uint32_t*)malloc(20));  /* label: A */
    ESCAPE(p);
    *(volatile uint64_t*)(p + 2) = 1;
    *(volatile uint64_t*)(p + 4) = 2;  /* expect: InvalidWrite alloc=A text="size 8" */
    free(p);
    return 0;
}
