// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the byte behind malloc_usable_size is out of bounds.
#include <malloc.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(21));  /* label: A */
    size_t usable = malloc_usable_size(p);
    ((volatile char*)p)[usable] = 1;  /* expect: InvalidWrite alloc=A */
    free(p);
    return 0;
}
