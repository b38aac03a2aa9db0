// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: one faulty line reached from two callers is two errors, because the stacks differ.
#include <stdlib.h>
#include "case.h"

NOINLINE static void put(int* p, int i) {
    p[i] = 7;  /* expect: InvalidWrite alloc=A count=2 */
    ESCAPE(p);
}

NOINLINE static void one(int* p) { put(p, 8); ESCAPE(p); }
NOINLINE static void two(int* p) { put(p, 8); ESCAPE(p); }

int main(void) {
    int* p = HIDE((int*)malloc(32));  /* label: A */
    for (int i = 0; i < 10; i++) {
        one(p);
        two(p);
    }
    free(p);
    return 0;
}
