// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: structure loads and stores (LD1 to LD4, ST1 to ST4) are seen whole: each reaches one byte over the end.
// ARCH: aarch64
#include "arm64.h"

int main(void) {
    char* p = HIDE((char*)calloc(1, 64));  /* label: A */
    AT(p, "ld4 {v0.16b-v3.16b}, [%0]; st4 {v0.16b-v3.16b}, [%0]; ld3 {v0.4s-v2.4s}, [%0]; st2 {v0.8h, v1.8h}, [%0]");
    AT(p + 56, "ld4 {v0.h-v3.h}[1], [%0]; st4 {v0.h-v3.h}[1], [%0]; ld2r {v0.2s, v1.2s}, [%0]");
    AT(p + 49, "ld1 {v0.16b}, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 49, "st1 {v0.16b}, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 57, "ld1 {v0.8b}, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 57, "st1 {v0.8b}, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 33, "ld1 {v0.2d, v1.2d}, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 33, "st1 {v0.2d, v1.2d}, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 41, "ld1 {v0.8b-v2.8b}, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 41, "st1 {v0.8b-v2.8b}, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 1, "ld1 {v0.16b-v3.16b}, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 1, "st1 {v0.16b-v3.16b}, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 33, "ld2 {v0.4s, v1.4s}, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 33, "st2 {v0.4s, v1.4s}, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 49, "ld2 {v0.4h, v1.4h}, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 49, "st2 {v0.4h, v1.4h}, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 17, "ld3 {v0.16b-v2.16b}, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 17, "st3 {v0.16b-v2.16b}, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 41, "ld3 {v0.2s-v2.2s}, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 41, "st3 {v0.2s-v2.2s}, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 1, "ld4 {v0.2d-v3.2d}, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 1, "st4 {v0.2d-v3.2d}, [%0]");  /* expect: InvalidWrite alloc=A text="size 16 .* by 1 bytes" */
    AT(p + 33, "ld4 {v0.8b-v3.8b}, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 33, "st4 {v0.8b-v3.8b}, [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 64, "ld1 {v0.b}[5], [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* by 1 bytes" */
    AT(p + 64, "st1 {v0.b}[5], [%0]");  /* expect: InvalidWrite alloc=A text="size 1 .* by 1 bytes" */
    AT(p + 61, "ld2 {v0.h, v1.h}[2], [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* by 1 bytes" */
    AT(p + 61, "st2 {v0.h, v1.h}[2], [%0]");  /* expect: InvalidWrite alloc=A text="size 2 .* by 1 bytes" */
    AT(p + 53, "ld3 {v0.s-v2.s}[1], [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* by 1 bytes" */
    AT(p + 53, "st3 {v0.s-v2.s}[1], [%0]");  /* expect: InvalidWrite alloc=A text="size 4 .* by 1 bytes" */
    AT(p + 33, "ld4 {v0.d-v3.d}[1], [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 33, "st4 {v0.d-v3.d}[1], [%0]");  /* expect: InvalidWrite alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 61, "ld4 {v0.b-v3.b}[15], [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* by 1 bytes" */
    AT(p + 61, "st4 {v0.b-v3.b}[15], [%0]");  /* expect: InvalidWrite alloc=A text="size 1 .* by 1 bytes" */
    AT(p + 64, "ld1r {v0.16b}, [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* by 1 bytes" */
    AT(p + 61, "ld2r {v0.4h, v1.4h}, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* by 1 bytes" */
    AT(p + 53, "ld3r {v0.4s-v2.4s}, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* by 1 bytes" */
    AT(p + 33, "ld4r {v0.2d-v3.2d}, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* by 1 bytes" */
    AT(p + 33, "mov x12, %0; ld2 {v0.4s, v1.4s}, [x12], #32");  /* expect: InvalidRead alloc=A text="size 16 .* by 1 bytes" */
    free(p);
    return 0;
}
