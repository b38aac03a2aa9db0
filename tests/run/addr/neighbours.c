// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a write past one of three neighbours is charged to the right block.
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* a = HIDE((char*)malloc(64));
    char* b = HIDE((char*)malloc(64));  /* label: B */
    char* c = HIDE((char*)malloc(64));
    ((volatile char*)b)[64] = 1;  /* expect: InvalidWrite alloc=B text="0 bytes|overflow" */
    ((volatile char*)b)[-1] = 1;  /* expect: InvalidWrite alloc=B text="1 byte|underflow" */
    free(a);
    free(b);
    free(c);
    return 0;
}
