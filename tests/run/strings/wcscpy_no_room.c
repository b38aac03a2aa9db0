// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a wcscpy into a block that was sized in characters instead of bytes is an invalid write at the
// call.
// COMPILE: gcc -O0 -O2 -fno-builtin
#include <stdlib.h>
#include <wchar.h>
#include "case.h"

int main(void) {
    wchar_t* p = HIDE((wchar_t*)malloc(wcslen(L"abc") * sizeof(wchar_t)));  /* label: A */
    wcscpy(p, L"abc");  /* expect: InvalidWrite alloc=A */
    free(p);
    return 0;
}
