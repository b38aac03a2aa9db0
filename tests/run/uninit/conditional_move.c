// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a conditional move on an undefined condition makes its result undefined, reported at the branch.
// COMPILE: gcc clang -O2
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)malloc(8));  /* label: A */
    ESCAPE(p);
    int value = p[0];
    int result;
#if defined(__x86_64__)
    __asm__ volatile("cmp $5, %1; mov $1, %0; mov $2, %%ecx; cmove %%ecx, %0"
                     : "=&r"(result) : "r"(value) : "ecx", "cc");
#else
    __asm__ volatile("cmp %w1, #5; mov %w0, #1; cinc %w0, %w0, eq" : "=&r"(result) : "r"(value) : "cc");
#endif
    BRANCH_ON(result == 1);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
