// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: negative sizes are reported as fishy with function and argument, and the call returns NULL.
// COMPILE: gcc -O0 -O1
#include <malloc.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    long minus = HIDE(-3L);
    if (malloc((size_t)minus)) return 1;          /* expect: FishyValue text="malloc" */
    if (calloc((size_t)minus, 1)) return 2;       /* expect: FishyValue text="calloc" */
    if (memalign(64, (size_t)minus)) return 3;    /* expect: FishyValue text="memalign" */
    char* p = HIDE((char*)malloc(10));
    if (realloc(p, (size_t)minus)) return 4;      /* expect: FishyValue text="realloc" */
    free(p);
    return 0;
}
