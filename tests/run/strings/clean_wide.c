// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the wcs* and wmem* functions on strings that fill their blocks to the last byte are silent.
// COMPILE: gcc -O0 -O2 -D_GNU_SOURCE -fno-builtin
// EXPECT: nothing
#include <stdlib.h>
#include <wchar.h>
#include "case.h"

static wchar_t* text(unsigned length) {
    wchar_t* block = HIDE((wchar_t*)malloc((length + 1) * sizeof(wchar_t)));
    for (unsigned i = 0; i < length; i++) block[i] = (wchar_t)('a' + i % 3);
    block[length] = 0;
    return block;
}

int main(void) {
    long sum = 0;
    for (unsigned length = 0; length < 40; length++) {
        wchar_t *a = text(length), *b = text(length);
        wchar_t* twice = HIDE((wchar_t*)malloc((2 * length + 1) * sizeof(wchar_t)));
        sum += (long)wcslen(a) + (long)wcsnlen(a, 100) + (wcschr(a, 'z') != 0) + (wcsrchr(a, 'b') != 0);
        sum += wcscmp(a, b) + wcsncmp(a, b, 100) + wmemcmp(a, b, length) + (wmemchr(a, 'z', length) != 0);
        sum += (wcsstr(a, L"cab") != 0) + (long)wcsspn(a, L"abc") + (wcspbrk(a, L"xyz") != 0);
        wcscpy(twice, a);
        wcscat(twice, b);
        sum += (long)wcslen(twice);
        wcsncpy(twice, a, 2 * length + 1);
        wmemcpy(twice, a, length);
        wmemmove(twice + length, twice, length + 1);
        wmemset(twice, 'x', 2 * length);
        free(a);
        free(b);
        free(twice);
    }
    BRANCH_ON(sum > 0);
    return 0;
}
