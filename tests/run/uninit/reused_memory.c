// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: memory that was defined in an earlier block is undefined again in a later one.
// ARGS: --freelist-vol=0
#include <stdlib.h>
#include "case.h"

int main(void) {
    for (int round = 0; round < 20; round++) {
        int* p = HIDE((int*)malloc(64));  /* label: A */
        if (round == 19) BRANCH_ON(p[5] == 3);  /* expect: UninitCondition origin=A */
        for (int i = 0; i < 16; i++) p[i] = 3;
        ESCAPE(p);
        free(p);
    }
    return 0;
}
