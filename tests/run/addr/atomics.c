// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: atomic operations past the end and on freed memory are reported.
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)calloc(4, sizeof(int)));  /* label: A */
    long* q = HIDE((long*)calloc(4, sizeof(long)));  /* label: B */
    __atomic_fetch_add(&p[3], 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&p[4], 1, __ATOMIC_SEQ_CST);  /* expect: InvalidRead alloc=A */ /* expect: InvalidWrite alloc=A maybe=yes */
    free(q);  /* label: F */
    q = HIDE(q);
    long expected = 0;
    __atomic_compare_exchange_n(&q[1], &expected, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  /* expect: InvalidRead alloc=B free=F */ /* expect: InvalidWrite alloc=B free=F maybe=yes */
    free(p);
    return 0;
}
