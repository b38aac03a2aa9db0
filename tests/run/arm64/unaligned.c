// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: unaligned accesses of every width are seen byte by byte: one byte over the end, and before the begin.
// ARCH: aarch64
#include "arm64.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 64));  /* label: A */
    AT(p + 1, "ldur x9, [%0]; stur x9, [%0]; ldur q0, [%0]; stur q0, [%0]; ldr w9, [%0, #8]; strh w9, [%0, #2]");
    AT(p + 63, "ldrh w9, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* by 1 bytes" */
    AT(p + 66, "ldurh w9, [%0, #-3]");  /* expect: InvalidRead alloc=A text="size 2 .* by 1 bytes" */
    AT(p + -1, "ldurh w9, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* 1 bytes before" */
    AT(p + 63, "strh w9, [%0]");  /* expect: InvalidWrite alloc=A text="size 2 .* by 1 bytes" */
    AT(p + 66, "sturh w9, [%0, #-3]");  /* expect: InvalidWrite alloc=A text="size 2 .* by 1 bytes" */
    AT(p + -1, "sturh w9, [%0]");  /* expect: InvalidWrite alloc=A text="size 2 .* 1 bytes before" */
    AT(p + 61, "ldr w9, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* by 1 bytes" */
    AT(p + 64, "ldur w9, [%0, #-3]");  /* expect: InvalidRead alloc=A text="size 4 .* by 1 bytes" */
    AT(p + -1, "ldur w9, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 1 bytes before" */
    AT(p + 61, "str w9, [%0]");  /* expect: InvalidWrite alloc=A text="size 4 .* by 1 bytes" */
    AT(p + 64, "stur w9, [%0, #-3]");  /* expect: InvalidWrite alloc=A text="size 4 .* by 1 bytes" */
    AT(p + -1, "stur w9, [%0]");  /* expect: InvalidWrite alloc=A text="size 4 .* 1 bytes before" */
    AT(p + 57, "ldr x9, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 60, "ldur x9, [%0, #-3]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + -1, "ldur x9, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 1 bytes before" */
    AT(p + 57, "str x9, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 60, "stur x9, [%0, #-3]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + -1, "stur x9, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* 1 bytes before" */
    AT(p + 61, "ldr s0, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* by 1 bytes" */
    AT(p + 64, "ldur s0, [%0, #-3]");  /* expect: InvalidRead alloc=A text="size 4 .* by 1 bytes" */
    AT(p + -1, "ldur s0, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 1 bytes before" */
    AT(p + 61, "str s0, [%0]");  /* expect: InvalidWrite alloc=A text="size 4 .* by 1 bytes" */
    AT(p + 64, "stur s0, [%0, #-3]");  /* expect: InvalidWrite alloc=A text="size 4 .* by 1 bytes" */
    AT(p + -1, "stur s0, [%0]");  /* expect: InvalidWrite alloc=A text="size 4 .* 1 bytes before" */
    AT(p + 57, "ldr d0, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 60, "ldur d0, [%0, #-3]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + -1, "ldur d0, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 1 bytes before" */
    AT(p + 57, "str d0, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 60, "stur d0, [%0, #-3]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + -1, "stur d0, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* 1 bytes before" */
    AT(p + 49, "ldr q0, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 52, "ldur q0, [%0, #-3]");  /* expect: InvalidRead alloc=A text="size 16 .* by 1 bytes" */
    AT(p + -1, "ldur q0, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* 1 bytes before" */
    AT(p + 49, "str q0, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 52, "stur q0, [%0, #-3]");  /* expect: InvalidWrite alloc=A text="size 16 .* by 1 bytes" */
    AT(p + -1, "stur q0, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* 1 bytes before" */
    AT(p + 63, "ldrsh x9, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* by 1 bytes" */
    AT(p + 66, "ldursh x9, [%0, #-3]");  /* expect: InvalidRead alloc=A text="size 2 .* by 1 bytes" */
    AT(p + -1, "ldursh x9, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* 1 bytes before" */
    AT(p + 61, "ldrsw x9, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* by 1 bytes" */
    AT(p + 64, "ldursw x9, [%0, #-3]");  /* expect: InvalidRead alloc=A text="size 4 .* by 1 bytes" */
    AT(p + -1, "ldursw x9, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 1 bytes before" */
    AT(p + 63, "mov x10, #1; ldrb w9, [%0, x10]");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */
    AT(p + 48, "mov x10, #1; ldr q0, [%0, x10, lsl #4]");  /* expect: InvalidRead alloc=A text="size 16 .* 0 bytes after" */
    AT(p + 56, "mov w10, #1; str d0, [%0, w10, sxtw #3]");  /* expect: InvalidWrite alloc=A text="size 8 .* 0 bytes after" */
    free(p);
    return 0;
}
