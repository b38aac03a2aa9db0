// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: --freelist-vol decides how long a freed block is remembered: a double free still has its stacks after
// 10,000 other frees.
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(100));  /* label: A */
    free(p);  /* label: F */
    for (int i = 0; i < 10000; i++) free(HIDE(malloc(100)));
    free(HIDE(p));  /* expect: InvalidFree alloc=A free=F */
    return 0;
}
