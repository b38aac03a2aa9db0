// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a 16-byte compare-and-swap on freed memory and one that hangs over the end are reported.
// ARCH: x86_64
// COMPILE: gcc -O0 -O2 -mcx16
#include <stdlib.h>
#include "case.h"

NOINLINE static int swap(void* p) {
    unsigned long lo = 0, hi = 0;
    unsigned char done;
    __asm__ volatile("lock cmpxchg16b %1; sete %0"  /* expect: InvalidRead alloc=A free=F */ /* expect: InvalidWrite alloc=A free=F maybe=yes */
                     : "=q"(done), "+m"(*(__int128*)p), "+a"(lo), "+d"(hi)
                     : "b"(1UL), "c"(2UL)
                     : "cc", "memory");
    return done;
}

int main(void) {
    void* p = HIDE(aligned_alloc(16, 32));  /* label: A */
    ((long*)p)[0] = ((long*)p)[1] = ((long*)p)[2] = ((long*)p)[3] = 0;
    if (!swap(p)) return 1;
    free(p);  /* label: F */
    swap(HIDE(p));
    return 0;
}
