// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a fortified memcpy that is too long for its destination ends the program as libc does, by SIGABRT, before
// anything is written.
// COMPILE: gcc -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// EXPECT: nothing
// EXPECT-EXIT: -6
#include <stdlib.h>
#include <string.h>
#include "case.h"

static char target[8], source[16];

int main(void) {
    size_t bytes = HIDE((size_t)9);
    memcpy(target, source, bytes);
    ESCAPE(target);
    return 0;
}
