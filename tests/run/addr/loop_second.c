// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a defect in the second execution of a line is found although the first one was correct.
#include <stdlib.h>
#include "case.h"

int main(void) {
    short* p = HIDE((short*)malloc(100 * sizeof(short)));  /* label: A */
    int order[] = {99, 100, 3, 7};
    for (int i = 0; i < 4; i++) {
        ((volatile short*)p)[order[i]] = 1;  /* expect: InvalidWrite alloc=A text="size 2" */
    }
    free(p);
    return 0;
}
