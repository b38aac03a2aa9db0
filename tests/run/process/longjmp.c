// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: longjmp over frames that held undefined values on their stack is silent afterwards.
// EXPECT: nothing
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

static jmp_buf back;

NOINLINE static void deep(const char* p, int n) {
    char area[512];
    memcpy(HIDE(area), p, sizeof area);
    ESCAPE(area);
    if (n) deep(p, n - 1);
    longjmp(back, 1);
}
NOINLINE static int fresh(int n) {
    volatile int area[1000];
    for (int i = 0; i < 1000; i++) area[i] = n;
    int sum = 0;
    for (int i = 0; i < 1000; i++) if (area[i] == n) sum++;
    return sum;
}

int main(void) {
    char* p = HIDE((char*)malloc(512));
    for (volatile int i = 0; i < 20; i++) {
        if (!setjmp(back)) deep(p, 10);
        BRANCH_ON(fresh(i) == 1000);
    }
    free(p);
    return 0;
}
