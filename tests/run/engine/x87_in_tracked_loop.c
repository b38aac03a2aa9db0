// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: digits extracted one by one from a long double in a block with undefined padding are right.
// COMPILE: gcc clang -O0 -O1 -O2
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include "case.h"

struct Number { long double value; int digits; int unused; };

NOINLINE static char digit(long double* value, int* left) {
    if (*left <= 0) return '0';
    (*left)--;
    int d = (int)*value;
    *value = (*value - (long double)d) * 10.0L;
    return (char)(d + '0');
}

int main(void) {
    struct Number* p = HIDE((struct Number*)malloc(sizeof *p));
    struct Number q;
    p->value = 1.375L;
    p->digits = 20;
    ESCAPE(p);
    q = *p;
    ESCAPE(&q);
    char text[8] = {0};
    for (int i = 0; i < 6; i++) text[i] = digit(&q.value, &q.digits);
    free(p);
    return strcmp(text, "137500") != 0;
}
