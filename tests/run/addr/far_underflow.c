// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: red zones grow with the block: a sixteenth of its size before and behind it belongs to no other block
// ARGS: --leak-check=no
#include <stdlib.h>
#include "case.h"

int main(void) {
    static const int sizes[] = {1024, 3000, 16384, 60000};
    char* blocks[4][3];
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i) blocks[k][i] = HIDE((char*)malloc((size_t)sizes[k]));  /* label: A */
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i) {
            *(volatile char*)(blocks[k][i] - sizes[k] / 17) = 1;             /* expect: InvalidWrite alloc=A */
            *(volatile char*)(blocks[k][i] + sizes[k] + sizes[k] / 17) = 1;  /* expect: InvalidWrite alloc=A */
        }
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i) free(blocks[k][i]);
    return 0;
}
