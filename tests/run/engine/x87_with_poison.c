// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: x87 arithmetic gives the right results while there are undefined values.
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include "case.h"

static volatile long double v = 1.995L;

int main(void) {
    int* p = HIDE((int*)malloc(4));
    volatile int poison = *p;
    long double w = v * 10;
    if ((int)w != 19) return 1;
    if ((int)(w - v) != 17) return 2;
    volatile double d = 2.5;
    char text[64];
    snprintf(text, sizeof text, "%.3Lf %.2f %g", w, (double)d, d / 3);
    if (strcmp(text, "19.950 2.50 0.833333")) return 3;
    free(p);
    return 0;
}
