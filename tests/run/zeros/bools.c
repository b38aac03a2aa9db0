// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: flags that are never set are nothing but zeros
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1000
// ZEROS: row load element=1 loads=N zero=N advice=constant
// ZEROS: object flags accessed=N redundant=N advice=constant zero512=2
#include "loads.h"

#include <stdbool.h>
static bool flags[N];

int main(void) {
    unsigned sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(flags[i]); /* label: load */
    USE(sum);
    return 0;
}
