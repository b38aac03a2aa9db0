// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: rounds that are all alike, each with dead and silent stores and loads of what was loaded, run with --waste=sampled
// PROVES: beside the defects, without a report (waste.py compares the shares with those of all accesses)
// COMPILE: gcc clang -O0 -O2
// ARGS: --waste=sampled --waste-burst=50000 --waste-period=400000
// RUN-ARGS: 2000
// EXPECT: nothing

#include <stdlib.h>
#include <string.h>

enum { kItems = 64 };
static volatile long table[kItems], sums[kItems];

static void round_of(long number) {
    for (int i = 0; i < kItems; ++i) sums[i] = 0;
    for (int i = 0; i < kItems; ++i) sums[i] = number + table[i];
    for (int i = 0; i < kItems; i += 2) table[i] = i;
    for (int i = 0; i < kItems; i += 4) sums[i] = sums[i] ^ table[i];
}

int main(int argc, char** argv) {
    const long rounds = argc > 1 ? atol(argv[1]) : 1;
    for (long number = 0; number < rounds; ++number) round_of(number);
    return 0;
}
