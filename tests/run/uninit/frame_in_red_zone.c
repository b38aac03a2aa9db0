// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined value in the red zone comes from the function that was called and has returned, with its variable; a
// leaf function's own variables there are its own.
// COMPILE: gcc clang -O0 -O1
// ARCH: x86_64
#include "case.h"

struct point { int x, y; };
NOINLINE static int* of_array(int k) {  /* label: A */
    int values[4];
    for (int i = 0; i < 4; i++) values[i] = i + k;
    ESCAPE(values);
    return HIDE(&values[2]);
}
NOINLINE static int* of_member(int k) {  /* label: B */
    struct point place = {k, k + 1};
    ESCAPE(&place);
    return HIDE(&place.y);
}
NOINLINE static int inner(int k) {
    int deep[2] = {k, k};
    ESCAPE(deep);
    return deep[k & 1];
}
NOINLINE static int leaf(int k) {  /* label: D */
    int own[6];
    own[0] = k;
    ESCAPE(own);
    BRANCH_ON(own[3] > k);  /* expect: UninitCondition origin=D text="stack allocation, variable .own" */
    return own[0];
}

int main(int count, char** words) {
    (void)words;
    int* p = of_array(count);
    BRANCH_ON(*p > 1);  /* expect: UninitCondition origin=A text="variable .values\[2\]., in a frame that has returned" */
    p = of_member(count);
    BRANCH_ON(*p > 1);  /* expect: UninitCondition origin=B text="variable .place.y., in a frame that has returned" */
    return inner(count) - leaf(count);
}
