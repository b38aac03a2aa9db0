// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a comparison of undefined floats and doubles is reported, arithmetic with them is not.
// COMPILE: gcc clang -O0 -O2
#include <stdlib.h>
#include "case.h"

int main(void) {
    double* d = HIDE((double*)malloc(4 * sizeof(double)));  /* label: D */
    float* f = HIDE((float*)malloc(4 * sizeof(float)));     /* label: F */
    d[0] = 1.5;
    f[0] = 2.5f;
    ESCAPE(d);
    ESCAPE(f);
    volatile double x = d[0] * d[1] + 3;
    volatile float y = f[1] / f[0];
    BRANCH_ON(x > 2.0);   /* expect: UninitCondition origin=D */ /* expect: UninitCondition origin=D maybe=yes */
    BRANCH_ON(y > 2.0f);  /* expect: UninitCondition origin=F */ /* expect: UninitCondition origin=F maybe=yes */
    BRANCH_ON(d[0] > 1.0);
    free(d);
    free(f);
    return 0;
}
