// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: swapped indices in a matrix are found at the first element behind it.
#include <stdlib.h>
#include "case.h"

NOINLINE static void put(double* m, int i, double value) {
    m[i] = value;  /* expect: InvalidWrite */
}

int main(void) {
    enum { kRows = 20, kColumns = 30 };
    double* m = HIDE((double*)malloc(kRows * kColumns * sizeof(double)));  /* label: A */
    for (int i = 0; i < kColumns; i++)
        for (int j = 0; j < kRows; j++) put(m, i * kColumns + j, i);
    free(m);
    return 0;
}
