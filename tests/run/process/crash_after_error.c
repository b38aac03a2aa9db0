// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a crash of the program leaves well-formed XML with the errors found before it.
// EXPECT-EXIT: -11
#include <stdlib.h>
#include "case.h"

int main(void) {
    volatile char* p = HIDE((char*)malloc(10));  /* label: A */
    p[10] = 1;  /* expect: InvalidWrite alloc=A */
    free((void*)p);
    volatile int* nowhere = HIDE((int*)16);
    *nowhere = 1;  /* expect: InvalidWrite alloc=none maybe=yes */
    return 0;
}
