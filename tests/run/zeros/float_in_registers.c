// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a float that is loaded as an integer and moved to a floating register later is a float
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O1 -O2
// SET: N=1000
// ZEROS: row load type=float element=8 loads=N redmap=N,N,N,N,N,N,N,N/2,0,N
// ZEROS: row load type=integer loads=0
#include "loads.h"

static double table[N];

int main(void) {
    for (int i = 0; i < N; ++i) table[i] = i % 2 ? 2 : 4;
    double sum = 0;
    for (int i = 0; i < N; ++i) {
        uint64_t bits = *(const volatile uint64_t*)&table[i]; /* label: load */
        double value;
        __asm__ volatile("" : "+r"(bits));
        memcpy(&value, &bits, sizeof value);
        sum += value;
    }
    USE(sum);
    return 0;
}
