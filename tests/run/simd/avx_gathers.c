// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a hundred gathers in a row are translated; Memcheck has no memory for that
// EXPECT: nothing
// ARCH: x86_64
// TOOL: memspy
// NEEDS: avx2
// COMPILE: gcc -O1 -mavx2
// ALSO: --zeros=all --locality=exact --waste=yes A=1
#include <stdlib.h>

int main(void) {
    char* p = calloc(100, 32);
    for (int i = 0; i < 3; ++i)
        __asm__ volatile(
            "vpxor %%ymm1, %%ymm1, %%ymm1\n .set at, 0\n .rept 100\n"
            "vpcmpeqd %%ymm2, %%ymm2, %%ymm2\n vpgatherdd %%ymm2, at(%0, %%ymm1, 4), %%ymm3\n .set at, at + 32\n .endr"
            :
            : "r"(p)
            : "memory", "xmm1", "xmm2", "xmm3");
    free(p);
    return 0;
}
