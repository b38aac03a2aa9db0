// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: accesses of 1, 2, 4 and 8 bytes right behind a block are each reported with their size.
// COMPILE: gcc clang -O0 -O2
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(64));  /* label: A */
    for (int i = 0; i < 64; i++) ((volatile char*)p)[i] = 1;
    ESCAPE(p);
    NEED(*(uint8_t*)(p + 64));   /* expect: InvalidRead alloc=A text="size 1" */
    NEED(*(uint16_t*)(p + 64));  /* expect: InvalidRead alloc=A text="size 2" */
    NEED(*(uint32_t*)(p + 64));  /* expect: InvalidRead alloc=A text="size 4" */
    NEED(*(uint64_t*)(p + 64));  /* expect: InvalidRead alloc=A text="size 8" */
    *(volatile uint8_t*)(p + 64) = 1;   /* expect: InvalidWrite alloc=A text="size 1" */
    *(volatile uint16_t*)(p + 64) = 1;  /* expect: InvalidWrite alloc=A text="size 2" */
    *(volatile uint32_t*)(p + 64) = 1;  /* expect: InvalidWrite alloc=A text="size 4" */
    *(volatile uint64_t*)(p + 64) = 1;  /* expect: InvalidWrite alloc=A text="size 8" */
    free(p);
    return 0;
}
