// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: prefetches are not accesses; DC ZVA is reported as not available, so that zeroing memory is seen as stores.
// ARCH: aarch64
#include <string.h>
#include "arm64.h"

int main(void) {
    char* p = HIDE((char*)malloc(1000));  /* label: A */
    AT(p, "prfm pldl1keep, [%0, #1024]; prfm pstl1strm, [%0]; mov x9, #1000; prfm pldl2keep, [%0, x9]");
    AT(p, "prfum pldl1keep, [%0, #-1]");
    unsigned long block;
    __asm__ volatile("mrs %0, dczid_el0" : "=r"(block));
    if (!(block & 16)) return 1;
    memset(p, HIDE(0), 1000);
    BRANCH_ON(p[999] == 0);
    memset(p, HIDE(0), HIDE(1001));  /* expect: InvalidWrite alloc=A text="0 bytes after" */
    free(HIDE(p));
    return 0;
}
