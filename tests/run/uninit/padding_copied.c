// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: padding of a struct that is copied by assignment, memcpy, return by value and as an argument is
// silent, and the members stay defined.
// COMPILE: gcc clang -O0 -O1 -O2
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include "case.h"

struct Padded { char tag; double value; short half; };

NOINLINE static struct Padded get(const struct Padded* p) { return *p; }
NOINLINE static int take(struct Padded s) { return s.tag + s.half; }

int main(void) {
    struct Padded* a = HIDE((struct Padded*)malloc(sizeof *a));
    struct Padded* b = HIDE((struct Padded*)malloc(sizeof *b));
    a->tag = 1;
    a->value = 2.5;
    a->half = 3;
    ESCAPE(a);
    *b = *a;
    ESCAPE(b);
    BRANCH_ON(b->tag == 1 && b->half == 3);
    memcpy(HIDE(b), HIDE(a), HIDE(sizeof *b));
    BRANCH_ON(b->half == 3);
    struct Padded local = get(b);
    ESCAPE(&local);
    BRANCH_ON(local.tag == 1);
    BRANCH_ON(take(local) == 4);
    BRANCH_ON(local.value > 2);
    free(a);
    free(b);
    return 0;
}
