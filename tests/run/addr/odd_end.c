// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the end of a block is exact to the byte for every size from 1 to 33.
#include <stdlib.h>
#include "case.h"

int main(void) {
    for (size_t size = 1; size <= 33; size++) {
        volatile char* p = HIDE((char*)malloc(size));  /* label: A */
        p[size - 1] = 1;
        p[0] = 1;
        // One line, 33 blocks, one stack: reported once.
        p[size] = 1;  /* expect: InvalidWrite alloc=A text="size 1" */
        free((void*)p);
    }
    return 0;
}
