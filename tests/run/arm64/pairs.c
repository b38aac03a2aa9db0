// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: both elements of a pair are seen, each with its own address and size: the second one is past the end.
// ARCH: aarch64
#include "arm64.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 64));  /* label: A */
    AT(p + 48, "ldp x9, x10, [%0]; stp x9, x10, [%0]; ldp w9, w10, [%0, #8]; stp w9, w10, [%0, #8]");
    AT(p + 32, "ldp q0, q1, [%0]; stp q0, q1, [%0]; ldp d0, d1, [%0, #16]; stp d0, d1, [%0, #16]");
    AT(p + 60, "ldp w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */
    AT(p + 60, "stp w9, w10, [%0]");  /* expect: InvalidWrite alloc=A text="size 4 .* 0 bytes after" */
    AT(p + 56, "ldp x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 56, "stp x9, x10, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 60, "ldp s0, s1, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */
    AT(p + 60, "stp s0, s1, [%0]");  /* expect: InvalidWrite alloc=A text="size 4 .* 0 bytes after" */
    AT(p + 56, "ldp d0, d1, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 56, "stp d0, d1, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 48, "ldp q0, q1, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* 0 bytes after" */
    AT(p + 48, "stp q0, q1, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* 0 bytes after" */
    AT(p + 48, "ldnp q0, q1, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* 0 bytes after" */
    AT(p + 48, "stnp q0, q1, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* 0 bytes after" */
    AT(p + 60, "ldpsw x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */
    AT(p + 64, "mov x12, %0; ldp x9, x10, [x12, #-8]!");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */
    AT(p + 56, "mov x12, %0; stp x9, x10, [x12], #16");  /* expect: InvalidWrite alloc=A text="size 8 .* 0 bytes after" */
    free(p);
    return 0;
}
