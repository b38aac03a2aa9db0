// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined loop bound is reported.
#include <stdlib.h>
#include "case.h"

struct Header { unsigned short count; unsigned short flags; };

int main(void) {
    struct Header* h = HIDE((struct Header*)malloc(sizeof *h));  /* label: A */
    h->flags = 1;
    ESCAPE(h);
    int n = h->count & 0xff;
    // Inverted on purpose: one comparison in the program, whatever the number of iterations.
    int i = 0;
    do { BARRIER(); i++; } while (HIDE(i) < n);  /* expect: UninitCondition origin=A */
    NEED(i);
    free(h);
    return 0;
}
