// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: free of a pointer into a block is reported with the block; the block stays usable.
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(100));  /* label: A */
    free(HIDE(p + 8));  /* expect: InvalidFree alloc=A free=none */
    ((volatile char*)p)[8] = 1;
    free(p);
    return 0;
}
