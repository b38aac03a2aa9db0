// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: free called twice in a row is reported with both stacks of free, and the program continues.
#include <stdlib.h>
#include "case.h"

NOINLINE static void first(void* p) {
    free(p);  /* label: F */
    BARRIER();
}
NOINLINE static void second(void* p) {
    free(p);  /* expect: InvalidFree alloc=A free=F tid=1 */
    BARRIER();
}

int main(void) {
    void* p = HIDE(calloc(3, 33));  /* label: A */
    first(p);
    second(p);
    return 0;
}
