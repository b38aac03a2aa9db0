// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: memory from mmap is fine, undefined values stored in it are remembered, and memory mapped again at the same
// place is fine again.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include "case.h"

int main(void) {
    long* p = HIDE((long*)malloc(8));  /* label: A */
    long* m = (long*)mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    BRANCH_ON(m[100] == 3);
    m[100] = *p;
    ESCAPE(m);
    BRANCH_ON(m[101] == 3);
    BRANCH_ON(m[100] == 3);  /* expect: UninitCondition origin=A */
    munmap(m, 65536);
    m = (long*)mmap(m, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    ESCAPE(m);
    BRANCH_ON(m[100] == 3);
    free(p);
    return 0;
}
