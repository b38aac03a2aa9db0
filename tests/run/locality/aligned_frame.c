// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a function that aligns its stack further than the ABI does, as vector code with spills: its frame's end is in
// memory, and the tool reads none to find it out.
// COMPILE: gcc -O1 -O2
// ARGS: --locality=exact --contention=no
// EXPECT: nothing
#include "case.h"

struct Wide {
    double values[16];
} __attribute__((aligned(128)));

NOINLINE static double aligned(int n) {
    // A size that is only known here: the frame's end is then kept in the frame.
    volatile double many[n];
    volatile struct Wide wide;
    double sum = 0;
    for (int i = 0; i < n; ++i) many[i] = i;
    for (int i = 0; i < 16; ++i) wide.values[i] = many[i];
    for (int i = 0; i < 16; ++i) sum += wide.values[i];
    return sum;
}

int main(void) { return aligned(20) == 120 ? 0 : 1; }
