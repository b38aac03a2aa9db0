// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: calloc's block ends at count times size.
#include <stdlib.h>
#include "case.h"

int main(void) {
    double* p = HIDE((double*)calloc(3, sizeof(double)));  /* label: A */
    NEED((long)((volatile double*)p)[2]);
    NEED((long)((volatile double*)p)[3]);  /* expect: InvalidRead alloc=A text="size 8" */
    free(p);
    return 0;
}
