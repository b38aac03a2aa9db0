// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a swap of two words loads both, by instruction and by object
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// ARCH: x86_64
// COMPILE: gcc -O0
// SET: N=200
// ZEROS: row swap element=4 lanes=2 loads=N elements=2*N redundant=4*N
// ZEROS: object pair accessed=8 redundant=4
#include "loads.h"

static struct {
    uint32_t low, high;
} pair = {1, 0x10203};

int main(void) {
    for (int i = 0; i < N; ++i) {
        uint32_t low = 1, high = 0x10203;
        __asm__ volatile("lock cmpxchg8b %0" : "+m"(pair), "+a"(low), "+d"(high) : "b"(1), "c"(0x10203) : "cc"); /* label: swap */
    }
    return 0;
}
