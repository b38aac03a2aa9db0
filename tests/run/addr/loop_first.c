// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a defect in the very first iteration of a loop is found, later good iterations are silent.
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(100 * sizeof(int)));  /* label: A */
    for (int i = -1; i < 100; i++) {
        ((volatile int*)p)[i] = i;  /* expect: InvalidWrite alloc=A */
    }
    free(p);
    return 0;
}
