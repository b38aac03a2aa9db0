// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a struct's padding stays undefined through an inline copy and memcpy to another block; its use is charged
// to the block that it came from.
#include <stdlib.h>
#include <string.h>
#include "case.h"

struct Padded { char tag; int value; };

int main(void) {
    struct Padded* a = HIDE((struct Padded*)malloc(sizeof *a));  /* label: A */
    struct Padded* b = HIDE((struct Padded*)calloc(1, sizeof *b));
    struct Padded* c = HIDE((struct Padded*)malloc(sizeof *c));
    a->tag = 1;
    a->value = 2;
    ESCAPE(a);
    *b = *a;
    ESCAPE(b);
    memcpy(HIDE(c), HIDE(b), HIDE(sizeof *c));
    ESCAPE(c);
    BRANCH_ON(c->tag == 1 && c->value == 2);
    BRANCH_ON(((char*)b)[2] == 7);  /* expect: UninitCondition origin=A */
    BRANCH_ON(((char*)c)[3] == 7);  /* expect: UninitCondition origin=A */
    free(a);
    free(b);
    free(c);
    return 0;
}
