// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: reads and writes of every size in a freed block are reported with both stacks.
// COMPILE: gcc clang -O0 -O2
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 4096));  /* label: A */
    free(p);  /* label: F */
    p = HIDE(p);
    NEED(*(volatile uint8_t*)(p + 4095));   /* expect: InvalidRead alloc=A free=F text="size 1" */
    NEED(*(volatile uint16_t*)(p + 100));   /* expect: InvalidRead alloc=A free=F text="size 2" */
    NEED(*(volatile uint32_t*)(p + 1));     /* expect: InvalidRead alloc=A free=F text="size 4" */
    NEED(*(volatile uint64_t*)p);           /* expect: InvalidRead alloc=A free=F text="size 8" */
    *(volatile uint64_t*)(p + 8) = 1;       /* expect: InvalidWrite alloc=A free=F text="size 8" */
    return 0;
}
