// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: atomic operations load the values that they change
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=200
// ZEROS: row add loads=N redundant=7*N+1 zero=1
// ZEROS: object counter accessed=8 redundant=7
#include "loads.h"

static uint64_t counter;

int main(void) {
    for (int i = 0; i < N; ++i) __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST); /* label: add */
    return 0;
}
