// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: realloc to size 0 is reported as such, with the block's allocation.
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(20));  /* label: A */
    void* q = realloc(p, 0);  /* expect: ReallocSizeZero alloc=A only=memspy */
    free(q);
    return 0;
}
