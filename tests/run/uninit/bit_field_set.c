// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: setting bit-fields of a fresh struct defines just these: reading them is silent.
// COMPILE: gcc clang -O0 -O1 -O2
// EXPECT: nothing
#include <stdlib.h>
#include "case.h"

struct Flags { unsigned kind : 3; unsigned level : 5; unsigned rest : 17; unsigned last : 7; };

int main(void) {
    struct Flags* f = HIDE((struct Flags*)malloc(sizeof *f));
    f->level = 9;
    ESCAPE(f);
    BRANCH_ON(f->level == 9);
    f->last = 100;
    ESCAPE(f);
    BRANCH_ON(f->last == 100);
    BRANCH_ON(f->level == 9);
    if (f->level != 9 || f->last != 100) return 1;
    free(f);
    return 0;
}
