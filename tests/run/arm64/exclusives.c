// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: exclusive loads and stores, and those with acquire and release, are seen; loops of them end with the right
// PROVES: result.
// ARCH: aarch64
#include "arm64.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 64));  /* label: A */
    for (int i = 0; i < 1000; i++)
        AT(p, "1: ldaxr x9, [%0]; add x9, x9, #1; stlxr w10, x9, [%0]; cbnz w10, 1b");
    if (*(volatile long*)p != 1000) return 1;
    AT(p + 64, "1: ldxrb w9, [%0]; add w9, w9, #1; stxrb w10, w9, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 1 .* 0 bytes after" */
    AT(p + 64, "1: ldaxrb w9, [%0]; stlxrb w10, w9, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 1 .* 0 bytes after" */
    AT(p + 64, "ldarb w9, [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */
    AT(p + 64, "stlrb w9, [%0]");  /* expect: InvalidWrite alloc=A text="size 1 .* 0 bytes after" */
    AT(p + 64, "1: ldxrh w9, [%0]; add w9, w9, #1; stxrh w10, w9, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 2 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 2 .* 0 bytes after" */
    AT(p + 64, "1: ldaxrh w9, [%0]; stlxrh w10, w9, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 2 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 2 .* 0 bytes after" */
    AT(p + 64, "ldarh w9, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* 0 bytes after" */
    AT(p + 64, "stlrh w9, [%0]");  /* expect: InvalidWrite alloc=A text="size 2 .* 0 bytes after" */
    AT(p + 64, "1: ldxr w9, [%0]; add w9, w9, #1; stxr w10, w9, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 4 .* 0 bytes after" */
    AT(p + 64, "1: ldaxr w9, [%0]; stlxr w10, w9, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 4 .* 0 bytes after" */
    AT(p + 64, "ldar w9, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */
    AT(p + 64, "stlr w9, [%0]");  /* expect: InvalidWrite alloc=A text="size 4 .* 0 bytes after" */
    AT(p + 64, "1: ldxr x9, [%0]; add x9, x9, #1; stxr w10, x9, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 64, "1: ldaxr x9, [%0]; stlxr w10, x9, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 64, "ldar x9, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 64, "stlr x9, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 64, "1: ldxp w9, w11, [%0]; stxp w10, w9, w11, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 64, "1: ldaxp x9, x11, [%0]; stlxp w10, x9, x11, [%0]; cbnz w10, 1b");  /* expect: InvalidRead alloc=A text="size 16 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A text="size 16 .* 0 bytes after" */
    free(p);
    return 0;
}
