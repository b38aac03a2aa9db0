// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: malloc_usable_size returns the requested size, and all of it may be written.
// EXPECT: nothing
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    for (size_t size = 1; size < 200; size += 7) {
        char* p = HIDE((char*)malloc(size));
        size_t usable = malloc_usable_size(p);
        if (usable < size) return 1;
        memset(p, 1, HIDE(usable));
        free(p);
    }
    if (malloc_usable_size(0) != 0) return 2;
    return 0;
}
