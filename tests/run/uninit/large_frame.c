// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: large stack frames, alloca and variable-length arrays are silent, even if undefined bytes of the heap were
// copied to the stack before and that frame is gone.
// EXPECT: nothing
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

NOINLINE static void dirty(const char* p) {
    char area[20000];
    memcpy(HIDE(area), p, sizeof area);
    ESCAPE(area);
}

NOINLINE static int frame(int n) {
    int vla[n];
    int* a = HIDE((int*)alloca((size_t)n * sizeof(int)));
    int fixed[3000];
    for (int i = 0; i < n; i++) vla[i] = a[i] = i;
    for (int i = 0; i < 3000; i++) fixed[i] = i;
    int sum = 0;
    for (int i = 0; i < n; i++) if (vla[i] > a[i]) sum++;
    for (int i = 0; i < 3000; i++) if (fixed[i] & 1) sum++;
    ESCAPE(fixed);
    return sum;
}

int main(void) {
    char* p = HIDE((char*)malloc(20000));
    for (int i = 0; i < 20; i++) {
        dirty(p);
        BRANCH_ON(frame(100 + i) == 1500);
    }
    free(p);
    return 0;
}
