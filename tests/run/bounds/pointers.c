// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a pointer keeps its variable where it is stored in a local variable or a member, moved, copied, passed down two
// calls, and returned by one or two; what leaves the variable is reported where it happens. A pointer behind the end that
// walks back, one that is set anew, and one that points to what a called function's frame left there, belong to what they
// point to.
// COMPILE: gcc clang -O0
// ARGS: --bounds=yes
// ARCH: x86_64
#include "case.h"

struct View {
    char* text;
    int length;
};
static int table[8], behind_table[8];

NOINLINE static void fill(int* p, int n) {
    for (int i = 0; i < n; ++i) p[i] = i;  /* expect: StackOverflow text="0 bytes after `a` of passed" */ /* expect: GlobalOverflow text="0 bytes after `table`" */
}
NOINLINE static void pass_on(int* given, int n) { fill(given, n); }
NOINLINE static char* same(char* p) { return p; }
NOINLINE static char* same_again(char* p) { return same(p); }

NOINLINE static int passed(int n) {
    int after[8] = {0}, a[8];
    fill(a, n);
    pass_on(a, n + 1);
    pass_on(table, n + 1);
    return a[0] + after[0] + behind_table[0];
}

NOINLINE static int walked(int n) {
    char high[32] = {0}, one[8], gap[3] = {0}, other[8], low[32] = {0}, *p = one, *q = other + sizeof other;
    for (int i = 0; i <= n; ++i) *p++ = 1;  /* expect: StackOverflow text="0 bytes after `one` of walked" */
    for (int i = 0; i < n; ++i) *--q = 2;
    NEED(q[-40]);  /* expect: StackOverflow text="40 bytes before `other` of walked" */
    p = other;
    for (int i = 0; i < n; ++i) p[i] = 4;
    p = n > 0 ? one : other;
    *p = 5;
    return one[0] + other[0] + gap[0] + high[0] + low[0];
}

NOINLINE static int held(int n) {
    char beside[16] = {0}, text[16];
    struct View view = {text, 16};
    view.text[n + 7] = 1;
    view.text[n + 8] = 2;  /* expect: StackOverflow text="0 bytes after `text` of held" */
    char* back = same(text);
    back[n] = 3;
    back[n + 9] = 4;  /* expect: StackOverflow text="1 bytes after `text` of held" */
    back = same_again(text);
    back[n] = 5;
    back[n + 10] = 6;  /* expect: StackOverflow text="2 bytes after `text` of held" */
    return text[15] + beside[0];
}

// Frames of this function lie where those of the others did, and its pointers are where theirs were.
NOINLINE static int others(int n) {
    char large[64], *p = same(large), *q = HIDE((char*)large);
    p[n + 40] = 1;
    q[n + 50] = 2;
    return large[48];
}

int main(void) {
    const int n = HIDE(8);
    passed(n);
    walked(n);
    others(n);
    held(n);
    others(n);
    return 0;
}
