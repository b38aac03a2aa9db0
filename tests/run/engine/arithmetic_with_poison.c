// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: integer, SSE and flag arithmetic (carries, rotates, conditional sets and moves, divisions, string
// instructions) gives the same results with undefined values around as without them.
// ARCH: x86_64
// COMPILE: gcc clang -O0 -O2
// EXPECT: nothing
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

struct Bag { uint64_t words[8]; double reals[4]; float singles[4]; unsigned char tail[24]; };

// The operands are in memory with undefined bytes between them.
NOINLINE static uint64_t compute(struct Bag* bag) {
    uint64_t h = 1469598103934665603ull;
    for (int i = 0; i < 400; i++) {
        uint64_t a = bag->words[i & 6], b = bag->words[(i + 2) & 6];
        unsigned char carry;
        uint64_t sum;
        __asm__("addq %3, %2; setc %1; adcq $0, %0; rolq $7, %2; adcq %2, %0"
                : "=&r"(sum), "=&q"(carry), "+&r"(a) : "r"(b), "0"(h) : "cc");
        h = (sum ^ carry) * 1099511628211ull;
        h ^= (uint64_t)(int64_t)(bag->reals[i & 2] * (double)(i + 1));
        h += (uint64_t)(bag->singles[i & 2] > (float)i ? i : -i);
        h ^= b / ((a | 1) & 0xffff) + (h % 1009) + (uint64_t)__builtin_clzll(h | 1) + (uint64_t)__builtin_popcountll(a);
        bag->words[i & 6] = h ^ (a >> (i & 63));
        memcpy(bag->tail, &h, 7);
        h += (uint64_t)bag->tail[3] << (i & 31);
    }
    return h;
}

static void fill(struct Bag* bag) {
    for (int i = 0; i < 8; i += 2) bag->words[i] = 0x123456789abcdefull * (uint64_t)(i + 1);
    for (int i = 0; i < 4; i += 2) {
        bag->reals[i] = 1.25 * (i + 1);
        bag->singles[i] = 150.5f * (float)(i + 1);
    }
}

int main(void) {
    static struct Bag clean;
    fill(&clean);
    uint64_t expected = compute(&clean);
    struct Bag* dirty = HIDE((struct Bag*)malloc(sizeof *dirty));
    fill(dirty);
    uint64_t got = compute(dirty);
    free(dirty);
    return got != expected;
}
