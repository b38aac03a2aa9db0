// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: loads of 32 bytes count by element
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O3 -mavx2
// ARCH: x86_64
// NEEDS: avx2
// SET: N=1024
// ZEROS: row load lanes=8 element=4 elements=N redmap=0,N,N,N type=integer
// ZEROS: object table accessed=4*N redundant=3*N
#include "loads.h"

static int32_t table[N] __attribute__((aligned(64)));

int main(void) {
    for (int i = 0; i < N; ++i) *(volatile int32_t*)&table[i] = i % 255 + 1;
    BARRIER();
    int32_t sum = 0;
    for (int i = 0; i < N; ++i) sum += table[i]; /* label: load */
    USE(sum);
    return 0;
}
