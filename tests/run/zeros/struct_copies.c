// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: copied structures are loaded, every byte
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=100
// ZEROS: object from size=64*N accessed=64*N
// ZEROS: object to accessed=0
#include "loads.h"

struct Block {
    int64_t values[8];
};
static struct Block from[N], to[N];

int main(void) {
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < 8; ++j) STORE(from[i].values[j], i + 1);
    for (int i = 0; i < N; ++i) {
        to[i] = from[i];
        BARRIER();
    }
    ESCAPE(to);
    return 0;
}
