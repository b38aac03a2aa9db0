// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: blocks still reachable at exit are not shown by default.
// EXPECT: nothing
#include <stdlib.h>
#include "case.h"

static void* keep[100];

int main(void) {
    for (int i = 0; i < 100; i++) keep[i] = malloc((size_t)i);
    ESCAPE(keep);
    return 0;
}
