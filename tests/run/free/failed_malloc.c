// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a request that cannot be met returns NULL without a report of an error, and the program continues.
// EXPECT: nothing
#include <errno.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* small = HIDE((char*)malloc(10));
    void* huge = HIDE(malloc((size_t)1 << 46));
    if (huge) return 1;
    void* more = HIDE(calloc((size_t)1 << 40, (size_t)1 << 30));
    if (more) return 2;
    if (realloc(small, (size_t)1 << 46)) return 3;
    small[9] = 1;
    free(small);
    return 0;
}
