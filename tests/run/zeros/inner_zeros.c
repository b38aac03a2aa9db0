// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: zero bytes below a significant one are not redundant, and negative numbers have no redundant ones
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1000
// ZEROS: row load loads=N redundant=0 zero=0
// ZEROS: object table accessed=8*N redundant=0 advice=none columns=none
// ZEROS: row negative loads=N redundant=0
#include "loads.h"

static int64_t table[N];
static int64_t minus[N];

int main(void) {
    for (int i = 0; i < N; ++i) {
        table[i] = (int64_t)(i % 100 + 1) << 56;
        minus[i] = -1 - i;
    }
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum ^= LOAD(table[i]); /* label: load */
    for (int i = 0; i < N; ++i) sum ^= LOAD(minus[i]); /* label: negative */
    USE(sum);
    return 0;
}
