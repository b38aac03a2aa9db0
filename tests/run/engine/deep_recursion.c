// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a thousand nested calls return correctly, with undefined data on the stack below them.
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include "case.h"

NOINLINE static int smear(const char* p) {
    char area[60000];
    memcpy(area, p, sizeof area);
    ESCAPE(area);
    return 1;
}
NOINLINE static int down(int n) {
    volatile int here = n;
    if (!n) return 0;
    int below = down(n - 1);
    return below + (here == n);
}

int main(void) {
    char* p = HIDE((char*)malloc(60000));
    for (int i = 0; i < 5; i++) {
        smear(p);
        if (down(1000) != 1000) return 1;
    }
    free(p);
    return 0;
}
