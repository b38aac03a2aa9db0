// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: what variables cost follows on paper for known accesses, on each machine, where the hierarchy is another one's
// COMPILE: gcc clang -O0 -O2
// ARGS: --cost=yes --cost-machine=cortex-a72 --contention=no --zeros=no --leak-check=no
// EXPECT: nothing
//
// A first level of 32 KB in 2 ways, a second of 1 MB in 16, pages of 4 KB, 32 and 1,024 entries.
//
// walked   8 MB, 4 times, in turn: each of 131,072 lines misses both levels each time, each of 2,048 pages the TLB
// COST: walked loads=4194304 stores=0 l1-misses=524288 l2-misses=524288 llc-misses=524288 tlb-misses=8192
// in_set   three words 16 KB apart, so in one set of 256: 2 ways never have the next one; the second level has it, but for
// the first time
// COST: in_set loads=300000 stores=0 l1-misses=300000 l2-misses=3 llc-misses=3 tlb-misses=3
// in_ways  two of them: each misses once
// COST: in_ways loads=200000 stores=0 l1-misses=2 l2-misses=2 llc-misses=2 tlb-misses=2
#include "case.h"

enum { kWords = 1 << 20, kTurns = 100000, kWay = 16384 / sizeof(long) };
#define PAGE_ALIGNED __attribute__((aligned(4096)))

PAGE_ALIGNED volatile long walked[kWords];
PAGE_ALIGNED volatile long in_set[3 * kWay];
PAGE_ALIGNED volatile long in_ways[2 * kWay];

int main(void) {
    register long sum = 0;
    for (register int round = 0; round < 4; ++round)
        for (register long i = 0; i < kWords; ++i) sum += walked[i];
    for (register int i = 0; i < kTurns; ++i) sum += in_set[0] + in_set[kWay] + in_set[2 * kWay];
    for (register int i = 0; i < kTurns; ++i) sum += in_ways[0] + in_ways[kWay];
    return sum != 0;
}
