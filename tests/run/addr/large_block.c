// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block of 64 MB has exact ends.
#include <stdlib.h>
#include "case.h"

int main(void) {
    size_t size = (size_t)64 << 20;
    volatile char* p = HIDE((char*)malloc(size));  /* label: A */
    p[0] = p[size - 1] = 1;
    p[size] = 1;  /* expect: InvalidWrite alloc=A */
    p[-1] = 1;    /* expect: InvalidWrite alloc=A */
    free((void*)p);
    return 0;
}
