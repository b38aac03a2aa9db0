// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: VALGRIND_COUNT_ERRORS returns the number of errors to the program.
#include <stdlib.h>
#include <valgrind/valgrind.h>
#include "case.h"

int main(void) {
    volatile int* p = HIDE((int*)malloc(40));  /* label: A */
    unsigned before = VALGRIND_COUNT_ERRORS;
    p[10] = 1;  /* expect: InvalidWrite alloc=A */
    unsigned after = VALGRIND_COUNT_ERRORS;
    free((void*)p);
    return !(RUNNING_ON_VALGRIND && before == 0 && after == 1);
}
