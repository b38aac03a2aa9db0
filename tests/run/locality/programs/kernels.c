/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Small kernels whose accesses are known one by one: nothing is kept in registers across KEEP. Each is one function;
 * tests/run/locality.py says what its scores must be, and why. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __asm__ volatile("" ::: "memory")
#define USE(x) __asm__ volatile("" ::"r"(x))
#define KERNEL static __attribute__((noinline)) void

enum { N = 128, WORDS = 1 << 17 };
/* Not static: what only this file knows and never writes would be no memory to the compiler. */
double a[N][N], b[N][N], c[N][N] __attribute__((aligned(64)));
int64_t x[WORDS], y[WORDS];
uint32_t order[WORDS];

#define EACH(v) for (int v = 0; v < N; ++v)
#define STEP KEEP; c[i][j] += a[i][k] * b[k][j]
KERNEL ijk(void) { EACH(i) EACH(j) EACH(k) { STEP; } }
KERNEL jik(void) { EACH(j) EACH(i) EACH(k) { STEP; } }
KERNEL jki(void) { EACH(j) EACH(k) EACH(i) { STEP; } }
KERNEL kji(void) { EACH(k) EACH(j) EACH(i) { STEP; } }
typedef double pair __attribute__((vector_size(16)));
#define TWO for (int j = 0; j < N; j += 2)
#define STEP2 KEEP; *(pair *)&c[i][j] += (pair){a[i][k], a[i][k]} * *(const pair *)&b[k][j]
KERNEL ikj(void) { EACH(i) EACH(k) TWO { STEP2; } }
KERNEL kij(void) { EACH(k) EACH(i) TWO { STEP2; } }

KERNEL walk(void) { for (int r = 0; r < 8; ++r) for (int i = 0; i < 4096; ++i) { USE(x[i]); KEEP; } }
KERNEL stencil(void) {
    for (int i = 1; i < WORDS - 1; ++i) {
        const int64_t left = x[i - 1];
        KEEP;
        const int64_t middle = x[i];
        KEEP;
        y[i] = left + middle + x[i + 1];
        KEEP;
    }
}
KERNEL copied(void) { for (int i = 0; i < 256; ++i) for (int j = 0; j < 256; ++j) { y[j * 256 + i] = x[i * 256 + j]; KEEP; } }
KERNEL indirect(void) { for (int i = 0; i < WORDS; ++i) { USE(x[order[i]]); KEEP; } }
KERNEL hashed(void) {
    uint64_t key = 1;
    for (int i = 0; i < 200000; ++i) {
        key = key * 6364136223846793005u + 1442695040888963407u;
        USE(x[key >> 52]);
        KEEP;
    }
}
struct node { struct node *next; int64_t value, unused[6]; };
static struct node *first;
KERNEL list(void) { for (const struct node *at = first; at != NULL; at = at->next) { USE(at->value); KEEP; } }
struct point { int64_t x, y, z, w; };
KERNEL structs(void) { const struct point *p = (const struct point *)x; for (int i = 0; i < WORDS / 4; ++i) { USE(p[i].x); KEEP; } }
KERNEL arrays(void) { for (int i = 0; i < WORDS / 4; ++i) { USE(x[i]); KEEP; } }

static void shuffle(void) {
    uint64_t state = 7;
    for (uint32_t i = WORDS - 1; i > 0; --i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t other = (uint32_t)((state >> 33) % (i + 1)), mine = order[i];
        order[i] = order[other];
        order[other] = mine;
    }
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    for (uint32_t i = 0; i < WORDS; ++i) order[i] = i;
    if (strcmp(name, "shuffled") == 0 || strcmp(name, "list") == 0) shuffle();
    if (strcmp(name, "list") == 0) {
        struct node *nodes = (struct node *)x;
        for (uint32_t i = 0; i < WORDS; ++i) {
            if (order[i] >= WORDS / 8) continue;
            nodes[order[i]].next = first;
            first = &nodes[order[i]];
        }
    }
#define CASE(n) if (strcmp(name, #n) == 0) n()
    CASE(ijk); CASE(jik); CASE(jki); CASE(kji); CASE(ikj); CASE(kij);
    CASE(walk); CASE(stencil); CASE(copied); CASE(hashed); CASE(list); CASE(structs); CASE(arrays);
    if (strcmp(name, "sorted") == 0 || strcmp(name, "shuffled") == 0) indirect();
    return 0;
}
