// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: blocks of aligned_alloc, posix_memalign, memalign and valloc are aligned and have red zones on
// both sides.
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    volatile char* a = HIDE((char*)aligned_alloc(64, 128));  /* label: A */
    void* raw;
    if (posix_memalign(&raw, 256, 100)) return 1;  /* label: P */
    volatile char* p = HIDE((char*)raw);
    volatile char* m = HIDE((char*)memalign(4096, 10));  /* label: M */
    volatile char* v = HIDE((char*)valloc(20));  /* label: V */
    if ((uintptr_t)a % 64 || (uintptr_t)p % 256 || (uintptr_t)m % 4096 || (uintptr_t)v % 4096) return 2;
    a[127] = p[99] = m[9] = v[19] = 1;
    a[128] = 1;  /* expect: InvalidWrite alloc=A free=none */
    p[100] = 1;  /* expect: InvalidWrite alloc=P free=none */
    m[10] = 1;   /* expect: InvalidWrite alloc=M free=none */
    v[20] = 1;   /* expect: InvalidWrite alloc=V free=none */
    a[-1] = 1;   /* expect: InvalidWrite alloc=A free=none */
    p[-1] = 1;   /* expect: InvalidWrite alloc=P free=none */
    m[-1] = 1;   /* expect: InvalidWrite alloc=M free=none */
    v[-1] = 1;   /* expect: InvalidWrite alloc=V free=none */
    free((void*)a);
    free((void*)p);
    free((void*)m);
    free((void*)v);
    return 0;
}
