// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a switch over an undefined value is reported, as a condition or as a jump through a table.
#include <stdlib.h>
#include "case.h"

NOINLINE static int name(unsigned char key) {
    switch (key) {  /* expect: UninitCondition origin=A */ /* expect: UninitValue origin=A maybe=yes */ /* expect: UninitCondition origin=A maybe=yes */
        case 1: ESCAPE(&key); return 17;
        case 5: ESCAPE(&key); return 12;
        default: return 3;
    }
}

int main(void) {
    unsigned char* p = HIDE((unsigned char*)malloc(3));  /* label: A */
    p[0] = p[2] = 1;
    ESCAPE(p);
    NEED(name(p[0]));
    NEED(name(p[1]));
    free(p);
    return 0;
}
