// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: atomic single instructions (LSE) are seen with their address and size, and have the right effect.
// ARCH: aarch64
// NEEDS: atomics
#include "arm64.h"

__asm__(".arch_extension lse");

int main(void) {
    char* p = HIDE((char*)calloc(1, 64));  /* label: A */
    AT(p, "mov x9, #5; ldadd x9, x10, [%0]; ldadd x9, x10, [%0]; swp x9, x10, [%0]; ldset x10, x11, [%0]");
    if (*(volatile long*)p != 15) return 1;
    AT(p + 64, "ldaddalb w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldsetb w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldsmaxb w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldumaxb w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "swpalb w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "casalb w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 1 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldaddalh w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldseth w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldsmaxh w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldumaxh w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "swpalh w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "casalh w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 2 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldaddal w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldclra w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldeorl w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldset w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldsmax w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldsmin w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldumax w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldumin w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "swpal w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "casal w9, w10, [%0]");  /* expect: InvalidRead alloc=A text="size 4 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldaddal x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldclra x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldeorl x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldset x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldsmax x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldsmin x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldumax x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "ldumin x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "swpal x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "casal x9, x10, [%0]");  /* expect: InvalidRead alloc=A text="size 8 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    AT(p + 64, "mov x10, #0; mov x11, #0; casp x10, x11, x12, x13, [%0]");  /* expect: InvalidRead alloc=A text="size 16 .* 0 bytes after" */ /* expect: InvalidWrite alloc=A maybe=yes */
    free(p);
    return 0;
}
