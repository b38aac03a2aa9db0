// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: calloc's memory is defined, even if it was used before.
// EXPECT: nothing
#include <stdlib.h>
#include "case.h"

int main(void) {
    for (int round = 0; round < 50; round++) {
        int* p = HIDE((int*)malloc(4096));
        for (int i = 0; i < 1024; i++) p[i] = 3;
        free(p);
        int* q = HIDE((int*)calloc(1024, 4));
        for (int i = 0; i < 1024; i++)
            if (q[i]) return 1;
        free(q);
    }
    return 0;
}
// ARGS: --freelist-vol=1000
