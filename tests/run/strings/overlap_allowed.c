// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: memmove within one block, memcpy of a block onto itself, and adjacent operands are not reported as overlap.
// COMPILE: gcc clang -O0 -O2 -fno-builtin
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(64));
    memset(p, 'x', 64);
    memmove(p + 1, p, 40);
    memmove(p, p + 1, 40);
    bcopy(p, p + 3, 20);
    memcpy(p, p, 64);
    memcpy(p, p + 32, 32);
    memcpy(p + 32, p, 32);
    memcpy(p + 1, p, 0);
    p[10] = 0;
    strcpy(p + 11, p);
    strncpy(p + 30, p, 30);
    wmemmove((wchar_t*)p + 1, (wchar_t*)p, 8);
    free(p);
    return 0;
}
