// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: using the old pointer after a realloc that moved the block is a use after free, freed by the realloc.
#include <stdlib.h>
#include "case.h"

int main(void) {
    long* p = HIDE((long*)malloc(64));  /* label: A */
    for (int i = 0; i < 8; i++) p[i] = i;
    long* volatile old = p;
    long* q = HIDE((long*)realloc(p, 100000));  /* label: R */
    if (q == old) return 0;
    NEED(old[1]);  /* expect: InvalidRead alloc=A free=R */
    if (q[7] != 7) return 1;
    free(q);
    return 0;
}
