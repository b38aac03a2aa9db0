// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: padding, unset members and bit fields of structs on the stack are silent as long as they are only copied,
// and the members that are set stay defined.
// COMPILE: gcc clang -O0 -O2
// EXPECT: nothing
#include <string.h>
#include "case.h"

struct Mixed { char tag; double value; short half; unsigned low : 3, high : 5; int unset[3]; };

NOINLINE static struct Mixed make(int n) {
    struct Mixed m;
    m.tag = (char)n;
    m.value = n;
    m.half = (short)n;
    m.low = (unsigned)n & 7;
    ESCAPE(&m);
    return m;
}

NOINLINE static int take(struct Mixed m) { return m.tag + m.half + (int)m.low; }

int main(void) {
    for (int i = 0; i < 20; ++i) {
        struct Mixed a = make(i), b, c;
        b = a;
        memcpy(&c, HIDE(&b), sizeof c);
        ESCAPE(&c);
        BRANCH_ON(c.low == 5);
        BRANCH_ON(c.value > 3);
        BRANCH_ON(take(c) == 9);
    }
    return 0;
}
