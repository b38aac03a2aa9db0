// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an access to a frame that has returned names the variable that was there, of each type; where two functions'
//   frames were there it is the one whose call is left, and nothing is named beside variables.
// COMPILE: gcc clang -O0 -Wno-return-local-addr -Wno-return-stack-address
// ARCH: x86_64
#include "case.h"

struct Point {
    double x, y;
};

NOINLINE static char* text(int n) {
    char head[300];
    char buffer[600];
    for (int i = 0; i < n; ++i) buffer[i] = head[i] = (char)i;
    return HIDE(buffer);
}
NOINLINE static struct Point* points(int n) {
    struct Point all[60];
    for (int i = 0; i < 60; ++i) all[i].x = all[i].y = n;
    return HIDE(all);
}
NOINLINE static int* deeper(int n) {
    int numbers[200];
    for (int i = 0; i < 200; ++i) numbers[i] = n;
    return HIDE(numbers);
}
NOINLINE static int* outer(int n) {
    int pad[100];
    for (int i = 0; i < 100; ++i) pad[i] = n;
    int* const found = deeper(pad[n]);
    return HIDE(found);
}

int main(void) {
    char* const t = text(200);
    NEED(t[12] == 12);  /* expect: InvalidRead text="in a frame of text that has returned \(variable .buffer\[12\].\)" */
    struct Point* const p = points(1);
    NEED(p[7].y == 1);  /* expect: InvalidRead text="in a frame of points that has returned \(variable .all\[7\]\.y.\)" */
    int* const n = outer(1);
    NEED(n[3] == 1);  /* expect: InvalidRead text="in a frame of deeper that has returned \(variable .numbers\[3\].\)" */
    BARRIER();
    return 0;
}
