// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: x87 loads and stores of 10 bytes past the end are reported; inside they are silent.
#include <stdlib.h>
#include "case.h"

int main(void) {
    long double* p = HIDE((long double*)malloc(3 * sizeof(long double)));  /* label: A */
    for (int i = 0; i < 3; i++) p[i] = (long double)i / 3;
    ESCAPE(p);
    long double volatile sum = p[0] + p[1] + p[2];
    if (sum < 0.99L || sum > 1.01L) return 1;
    p[3] = 1;  /* expect: InvalidWrite alloc=A */ /* expect: InvalidWrite alloc=A text="size 2" maybe=yes */
    ESCAPE(p);
    free(p);
    return 0;
}
