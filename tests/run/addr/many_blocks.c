// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: among 100,000 live blocks the right one is named, and freeing them all leaves nothing.
#include <stdlib.h>
#include "case.h"

enum { kBlocks = 100000 };
static char* blocks[kBlocks];

int main(void) {
    for (int i = 0; i < kBlocks; i++) {
        if (i == 77777)
            blocks[i] = (char*)malloc(37);  /* label: A */
        else
            blocks[i] = (char*)malloc((size_t)(i % 200));
    }
    volatile char* p = HIDE(blocks[77777]);
    p[37] = 1;  /* expect: InvalidWrite alloc=A text="block of size 37|37-byte" */
    for (int i = 0; i < kBlocks; i++) free(blocks[(i * 7919LL) % kBlocks]);
    return 0;
}
