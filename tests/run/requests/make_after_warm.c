// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a state set outside the heap counts for code that ran there many times before.
// TOOL: memspy
#include <stdlib.h>
#include "case.h"
#include "memspy.h"

static int area[64];

NOINLINE static void store(int i) {
    area[i] = i;  /* expect: InvalidWrite */
    ESCAPE(area);
}
NOINLINE static void store_constant(void) {
    area[8] = 3;  /* expect: InvalidWrite */
    ESCAPE(area);
}

int main(void) {
    for (int i = 0; i < 5000; i++) {
        store(i & 63);
        store_constant();
    }
    MEMSPY_MAKE_MEM_NOACCESS(&area[8], sizeof(int));
    store(7);
    store(8);
    store_constant();
    MEMSPY_MAKE_MEM_DEFINED(&area[8], sizeof(int));
    return 0;
}
