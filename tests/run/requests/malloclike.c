// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: blocks described by VALGRIND_MALLOCLIKE_BLOCK have red zones, stacks, states and leaks like
// malloc's; FREELIKE makes them freed.
#include <stdlib.h>
#include <sys/mman.h>
#include <valgrind/valgrind.h>
#include "case.h"

static char* arena;
static size_t used;

NOINLINE static void* give(size_t size) {
    char* p = arena + used + 16;
    used += (size + 32 + 15) & ~15ul;
    VALGRIND_MALLOCLIKE_BLOCK(p, size, 16, 0);  /* label: A */ /* leak: definite bytes=24 blocks=1 */
    return p;
}
NOINLINE static void take(void* p) {
    VALGRIND_FREELIKE_BLOCK(p, 16);  /* label: F */
}
NOINLINE static void lose(void) {
    void* p = give(24);
    ESCAPE(p);
}
NOINLINE static void wash(void) {
    volatile char area[8192];
    for (int i = 0; i < 8192; i++) area[i] = 0;
}

int main(void) {
    arena = (char*)mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    volatile int* p = HIDE((int*)give(40));
    p[9] = 1;
    p[10] = 1;  /* expect: InvalidWrite alloc=A */
    BRANCH_ON(p[0] == 3);  /* expect: UninitCondition origin=A */
    take((void*)p);
    NEED(p[9]);  /* expect: InvalidRead free=F */
    lose();
    wash();
    return 0;
}
