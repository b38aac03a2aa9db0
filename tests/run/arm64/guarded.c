// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a vector access under a condition is checked only when it happens.
// ARCH: aarch64
#include "arm64.h"

NOINLINE static void copy_if(char* to, const char* from, long wanted) {
    // Errors are reported at the first line of the statement.
    __asm__ volatile("cbz %2, 1f; ldr q0, [%1]; str q0, [%0]; 1:"  /* expect: InvalidRead alloc=A text="size 16 .* by 8 bytes" */ /* expect: InvalidWrite alloc=A text="size 16 .* by 15 bytes" */
                     : : "r"(to), "r"(from), "r"(wanted) : "v0", "memory");
}

int main(void) {
    char* p = HIDE((char*)calloc(1, 64));  /* label: A */
    for (int i = 0; i < 1000; i++) copy_if(p + (i % 2 ? 0 : 63), p + (i % 2 ? 48 : 56), i % 2);
    copy_if(p + 63, p + 56, 1);
    free(p);
    return 0;
}
