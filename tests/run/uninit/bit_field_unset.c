// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: in a struct of bit-fields the one that was never set is reported when it is used, and no other.
// COMPILE: gcc clang -O0 -O1 -O2
#include <stdlib.h>
#include "case.h"

struct Flags { unsigned kind : 3; unsigned level : 5; unsigned rest : 17; unsigned last : 7; };

int main(void) {
    struct Flags* f = HIDE((struct Flags*)malloc(sizeof *f));  /* label: A */
    f->kind = 1;
    f->rest = 99;
    ESCAPE(f);
    BRANCH_ON(f->kind == 1);
    BRANCH_ON(f->rest == 99);
    BRANCH_ON(f->level == 9);  /* expect: UninitCondition origin=A */
    f->level = 2;
    ESCAPE(f);
    BRANCH_ON(f->level == 2);
    free(f);
    return 0;
}
