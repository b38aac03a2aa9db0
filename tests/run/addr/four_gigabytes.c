// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block of 4 GB with few touched pages is handled, and its end is exact.
#include <stdlib.h>
#include "case.h"

int main(void) {
    size_t size = (size_t)4 << 30;
    volatile char* p = HIDE((char*)malloc(size));  /* label: A */
    if (!p) return 1;
    for (size_t i = 0; i < size; i += (size_t)512 << 20) p[i] = 1;
    p[size - 1] = 1;
    NEED(p[size]);  /* expect: InvalidRead alloc=A */
    free((void*)p);
    return 0;
}
