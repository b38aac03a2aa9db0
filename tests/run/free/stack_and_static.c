// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: free of a local variable, of a static one and of an address without memory are reported.
#include <stdlib.h>
#include "case.h"

static char area[64];

int main(void) {
    char local[64];
    ESCAPE(local);
    free(HIDE(&local[0]));      /* expect: InvalidFree alloc=none free=none */
    free(HIDE(&area[16]));      /* expect: InvalidFree alloc=none free=none */
    free(HIDE((char*)0x1230));  /* expect: InvalidFree alloc=none free=none */
    return 0;
}
