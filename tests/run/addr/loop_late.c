// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a line that is correct 100,000 times and then goes past the end is found.
#include <stdlib.h>
#include "case.h"

// On one line: the load may be the last instruction before the return.
NOINLINE static int read_at(const int* p, int i) { return p[i]; }  /* expect: InvalidRead alloc=A text="size 4" */

int main(void) {
    int* p = HIDE((int*)calloc(1000, sizeof(int)));  /* label: A */
    int sum = 0;
    for (int round = 0; round < 100; round++)
        for (int i = 0; i < 1000; i++) sum += read_at(p, i);
    NEED(sum);
    NEED(read_at(p, 1000));
    free(p);
    return 0;
}
