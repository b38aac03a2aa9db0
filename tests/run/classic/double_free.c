// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a second free is found although a block of the same size was allocated and freed in between; both frees and
// the allocation are reported.
// COMPILE: gcc clang -O0 -O1 -O2
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(24));  /* label: A */
    free(p);  /* label: F */
    char* q = HIDE((char*)malloc(24));
    free(q);
    ESCAPE(p);
    free(p);  /* expect: InvalidFree alloc=A free=F */
    return 0;
}
