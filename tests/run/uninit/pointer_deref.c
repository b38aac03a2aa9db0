// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a pointer computed from undefined bits is reported where it is dereferenced, also by a store.
#include <stdlib.h>
#include "case.h"

static long field[64];

int main(void) {
    unsigned* p = HIDE((unsigned*)malloc(16));  /* label: A */
    ESCAPE(p);
    long* target = HIDE(&field[p[1] & 63]);
    *target = 5;  /* expect: UninitValue origin=A */
    free(p);
    return 0;
}
