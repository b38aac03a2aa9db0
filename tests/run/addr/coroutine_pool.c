// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: coroutines that begin and end others on stacks below and above their own, in one heap block, mapping or array,
// may use memory that was a stack before: nothing is reported.
// COMPILE: gcc clang -O0 -O2
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "case.h"
#include "switch.h"

enum { kBytes = 8192, kStacks = 6, kRounds = 4 };
static char* pool;
static void* contexts[kStacks + 1];
static int callers[kStacks];
static int ended, running;

NOINLINE static long use(int n) {
    volatile long a[100];
    for (int i = 0; i < 100; ++i) a[i] = n;
    long sum = 0;
    for (int i = 0; i < 100; ++i) sum += a[i];
    return n > 0 ? sum + use(n - 1) : sum;
}

static void body(void);

// Runs a coroutine on stack `number` until it ends, and leaves data there.
NOINLINE static void run(int number) {
    const int before = running;
    char* stack = pool + number * kBytes;
    memset(stack, number, kBytes);
    contexts[number] = new_coroutine(stack + kBytes, body);
    callers[number] = before;
    running = number;
    switch_stack(&contexts[before], contexts[number]);
    running = before;
    for (int i = 0; i < kBytes; i += 8) stack[i] = (char)i;
    for (int i = 0; i < kBytes; i += 8) BRANCH_ON(stack[i] == 3);
}

static void body(void) {
    const int self = running, caller = callers[self];
    BRANCH_ON(use(3) == 7);
    if (caller == kStacks) {
        if (self > 0) run(self - 1);
        if (self < kStacks - 1) run(self + 1);
    }
    ++ended;
    static void* gone;
    switch_stack(&gone, contexts[caller]);
}

int main(void) {
    static char array[kStacks * kBytes];
    char* pools[] = {malloc(kStacks * kBytes), array,
                     mmap(0, kStacks * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
    for (int p = 0; p < 3; ++p) {
        pool = pools[p];
        for (int round = 0; round < kRounds; ++round)
            for (int i = 0; i < kStacks; ++i) {
                running = kStacks;
                run(i);
            }
    }
    free(pools[0]);
    return ended > 0 ? 0 : 1;
}
