// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: characters, half of them zero
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1024
// ZEROS: row load element=1 loads=N zero=N/2 redmap=N/2
// ZEROS: object text accessed=N redundant=N/2 zero8=64 zero64=8 zero512=1 columns=none loaded=N loadedredundant=N/2
#include "loads.h"

/* Loads are told by 32 bytes: no other object is in the first and the last of them. */
static unsigned char text[N] __attribute__((aligned(64)));

int main(void) {
    int zeros = 0;
    for (int i = 0; i < N; ++i) STORE(text[i], i < N / 2 ? 0 : 65);
    for (int i = 0; i < N; ++i) zeros += LOAD(text[i]) == 0; /* label: load */
    NEED_TRUE(zeros == N / 2);
    return 0;
}
