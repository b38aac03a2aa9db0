// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: loads from before an exec are in the profile file, without contention, too
// ARGS: --zeros=all --contention=no
// COMPILE: gcc -O0 -O2
// XML: no
// MADE-BY: exec
// SET: N=1000
// ZEROS: row load loads=N redundant=7*N
// ZEROS: object table accessed=8*N redundant=7*N
#include "loads.h"

#include <unistd.h>

static int64_t table[N];

int main(void) {
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) STORE(table[i], 1 + i % 255);
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: load */
    USE(sum);
    execl("/bin/true", "true", (char*)NULL);
    return 4;
}
