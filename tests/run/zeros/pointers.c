// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: pointers have at least two zero bytes on top
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: clang -O0 -O2
// SET: N=1000
// ZEROS: row load element=8 loads=N redundant>=2*N redundant<=6*N zero=0
// ZEROS: object table accessed=8*N redundant>=2*N redundant<=6*N
#include "loads.h"

static char targets[N];
static char* table[N];

int main(void) {
    for (int i = 0; i < N; ++i) table[i] = &targets[i];
    uintptr_t sum = 0;
    for (int i = 0; i < N; ++i) sum += (uintptr_t)LOAD(table[i]); /* label: load */
    USE(sum);
    return 0;
}
