// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a hundred loads, stores and sums of sixteen bytes in a row are translated, with all analyses
// EXPECT: nothing
// ARCH: x86_64
// TOOL: memspy
// ALSO: --zeros=all --locality=exact --waste=yes A=1
#include <stdlib.h>

int main(void) {
    char* p = calloc(100, 16);
    for (int i = 0; i < 3; ++i)
        __asm__ volatile(
            ".set at, 0\n .rept 100\n movups at(%0), %%xmm1\n .set at, at + 16\n .endr\n"
            ".set at, 0\n .rept 100\n addpd at(%0), %%xmm1\n .set at, at + 16\n .endr\n"
            ".set at, 0\n .rept 100\n movups %%xmm1, at(%0)\n .set at, at + 16\n .endr"
            :
            : "r"(p)
            : "memory", "xmm1");
    free(p);
    return 0;
}
