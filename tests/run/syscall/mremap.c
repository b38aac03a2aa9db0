// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: undefined bytes in mapped memory move along with mremap.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include "case.h"

int main(void) {
    long* p = HIDE((long*)malloc(8));  /* label: A */
    long* m = (long*)mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    m[100] = *p;
    m[200] = 1;
    ESCAPE(m);
    m = (long*)mremap(m, 65536, 1 << 22, MREMAP_MAYMOVE);
    ESCAPE(m);
    BRANCH_ON(m[200] == 3);
    BRANCH_ON(m[100] == 3);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
