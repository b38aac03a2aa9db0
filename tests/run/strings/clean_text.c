// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the str* functions on strings that fill their blocks to the last byte are silent, whatever the length and
// alignment: they read nothing beyond the NUL.
// COMPILE: gcc clang -O0 -O2 -D_GNU_SOURCE -fno-builtin
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "case.h"

static char* text(unsigned length, unsigned shift) {
    char* block = HIDE((char*)malloc(shift + length + 1));
    for (unsigned i = 0; i < length; i++) block[shift + i] = (char)('a' + i % 3);
    block[shift + length] = 0;
    return block;
}

int main(void) {
    long sum = 0;
    for (unsigned length = 0; length < 70; length++) {
        unsigned shift = length * 5 % 8;
        char *a = text(length, shift), *b = text(length, 0), *s = a + shift;
        char* twice = HIDE((char*)malloc(2 * length + 1));
        sum += (long)strlen(s) + (long)strnlen(s, 100) + (long)strnlen(b, length);
        sum += (strchr(s, 'c') != 0) + (strchr(s, 'z') != 0);
        sum += (strrchr(s, 'b') != 0) + (strchrnul(s, 'z') - s);
        sum += strcmp(s, b) + strncmp(s, b, length) + strncmp(s, b, 100);
        sum += strcasecmp(s, b) + strncasecmp(s, b, 200);
        sum += (strstr(s, "cab") != 0) + (strstr(s, "zz") != 0) + (strcasestr(s, "CAB") != 0);
        sum += (long)strspn(s, "abc") + (long)strcspn(s, "xyz") + (strpbrk(s, "xyz") != 0);
        strcpy(twice, s);
        strcat(twice, b);
        sum += (long)strlen(twice);
        strcpy(twice, "");
        strncat(twice, s, length);
        sum += (stpcpy(twice, b) - twice) + (stpncpy(twice, b, length) - twice);
        strncpy(twice, b, 2 * length + 1);
        char* copy = strdup(s);
        sum += strcmp(copy, b);
        free(copy);
        free(a);
        free(b);
        free(twice);
    }
    BRANCH_ON(sum > 0);
    return 0;
}
