// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: bytes behind a variable of less than a word that belong to no variable do not have those of the arrays before it again
// ARGS: --zeros=data --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O0 -O2
// SET: N=65536
// ZEROS: object keys accessed=4*N
// ZEROS: object sums accessed=4*N
// ZEROS: object unknown accessed<=N
#include "loads.h"

int32_t keys[N], sums[N];
int32_t last;

int main(void) {
    for (int i = 0; i < N; ++i) keys[i] = i & 255;
    for (int i = 0; i < N; ++i) STORE(sums[i], LOAD(sums[i]) + LOAD(keys[i]));
    USE(LOAD(last));
    return 0;
}
