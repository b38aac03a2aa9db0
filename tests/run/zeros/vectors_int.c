// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: vector loads count by element
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O3
// SET: N=1024
// ZEROS: row load type=integer element=4 elements=N redmap=0,N,N,N loads>=N/8 loads<=N/2
// ZEROS: row load lanes=4 loads>=1
// ZEROS: object table accessed=4*N redundant=3*N columns=4:1-3 advice=narrow:uint8_t loaded=4*N loadedredundant=3*N
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
