// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an access before a block is reported with its distance to the block.
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(48));  /* label: A */
    for (int i = 0; i < 12; i++) p[i] = i;
    ESCAPE(p);
    p[-1] = 1;  /* expect: InvalidWrite alloc=A free=none text="4 bytes|underflow" */
    ESCAPE(p);
    NEED(p[-3]);  /* expect: InvalidRead alloc=A text="12 bytes|underflow" */
    free(p);
    return 0;
}
