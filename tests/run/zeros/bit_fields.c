// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a word of bit-fields whose upper fields stay empty is half zeros
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=1000
// ZEROS: row load element=4 loads=N redmap=0,0,N,N advice=narrow:uint16_t
// ZEROS: object flags accessed=4*N redundant=2*N
#include "loads.h"

struct Flags {
    unsigned low : 3, middle : 13, high : 10, top : 6;
};
static struct Flags flags[N];

int main(void) {
    for (int i = 0; i < N; ++i) {
        flags[i].low = 1 + i % 7;
        flags[i].middle = 0x1000 | i;
    }
    uint32_t sum = 0;
    for (int i = 0; i < N; ++i) sum ^= *(const volatile uint32_t*)&flags[i]; /* label: load */
    USE(sum);
    return 0;
}
