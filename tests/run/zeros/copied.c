// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the values that memcpy loads have an unknown type; they are counted, by the words that it copies
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O0 -O2
// SET: N=1000
// ZEROS: object source accessed=8*N redundant=7*N columns=8:1-7
// ZEROS: object target accessed=0
#include "loads.h"

static int64_t source[N] __attribute__((aligned(64)));
static int64_t target[N] __attribute__((aligned(64)));

int main(void) {
    for (int i = 0; i < N; ++i) *(volatile int64_t*)&source[i] = i % 255 + 1;
    for (int i = 0; i < 20; ++i) memcpy(HIDE(target), HIDE(source), (size_t)HIDE(sizeof target));
    return 0;
}
