// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the mem* functions on exactly sized blocks are silent for every small length and alignment of
// either operand; and bytes never written are copied in silence, padding included.
// COMPILE: gcc clang -O0 -O2 -D_GNU_SOURCE -fno-builtin
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    long sum = 0;
    for (unsigned length = 0; length < 90; length++) {
        unsigned shift = length * 7 % 16, other = length % 5;
        char* a = HIDE((char*)malloc(shift + length));
        char* b = HIDE((char*)malloc(other + length));
        memset(a + shift, 'a', length);
        memcpy(b + other, a + shift, length);
        sum += memcmp(a + shift, b + other, length);
        sum += (memchr(a + shift, 'z', length) != 0) + (memrchr(b + other, 'z', length) != 0);
        sum += ((char*)mempcpy(b + other, a + shift, length) - b);
        if (length > 3) memmove(b + other, b + other + 3, length - 3);
        if (length > 3) memmove(b + other + 3, b + other, length - 3);
        free(b);
        free(a);
        a = HIDE((char*)malloc(length + 1));  // never written
        b = HIDE((char*)malloc(length + 1));
        memcpy(b, a, length + 1);
        memmove(a, b, length + 1);
        free(b);
        free(a);
    }
    BRANCH_ON(sum > 0);
    return 0;
}
