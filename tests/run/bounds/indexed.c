// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an access by an index that leaves its local or static variable is reported at its line, with the variable, the
// function and the distance, before it and behind it; accesses inside, to the end of a structure, and to the neighbour by
// its own name, are not. Forms: loops that end one too late, arithmetic of indices, rows of arrays of arrays, members of
// structures, arrays of structures, static variables of a function and of the file, elements of 1 to 8 bytes.
// An array of variable length in the same file changes nothing.
// COMPILE: gcc clang -O0
// ARGS: --bounds=yes
// ARCH: x86_64
#include "case.h"

struct Record {
    int number;
    char text[12];
    double values[3];
};

static short file_table[6], next_table[6];
static struct Record records[4];

NOINLINE static int loops(int n) {
    long high[8] = {0};
    int a[10];
    long low[8] = {0};
    for (int i = 0; i <= n; ++i) a[i] = i;  /* expect: StackOverflow text="0 bytes after `a` of loops, of size 40" */
    int i = n;
    while (i-- > 0) low[0] += a[i];
    return a[0] + (int)(low[0] + high[0]);
}

NOINLINE static int arithmetic(int n) {
    long high[8] = {0};
    double d[8] = {0};
    long low[8] = {0};
    long k = n;
    unsigned char small = (unsigned char)n;
    d[k - 3] = 1;
    d[small * 2 - 10] += d[small - 1];
    d[small] = 2;  /* expect: StackOverflow text="0 bytes after `d` of arithmetic, of size 64" */
    NEED(d[k - 17]);  /* expect: StackOverflow text="72 bytes before `d` of arithmetic" */
    return (int)d[0] + (int)(low[0] + high[0]);
}

NOINLINE static int rows(int n) {
    long high[8] = {0};
    char m[4][8] = {{0}};
    m[3][n - 1] = 1;
    m[n - 5][n - 1] = 2;
    m[0][n] = 3;  // the next row is in the variable, too
    m[3][n] = 4;  /* expect: StackOverflow text="0 bytes after `m` of rows, of size 32" */
    m[n - 4][1] = 5;  /* expect: StackOverflow text="1 bytes after `m` of rows, of size 32" */
    return m[0][0] + (int)high[0];
}

NOINLINE static int members(int n) {
    long high[16] = {0};
    struct Record one = {0}, many[3] = {{0}};
    one.text[n + 4] = 'x';  // a structure is one variable
    one.values[n - 6] = 1;
    many[n - 6].number = 2;
    one.values[n - 5] = 1;  /* expect: StackOverflow text="0 bytes after `one` of members, of size 40" */
    many[n - 5].values[0] = 2;  /* expect: StackOverflow text="16 bytes after `many` of members, of size 120" */
    return one.number + many[0].number + (int)high[0];
}

NOINLINE static int statics(int n) {
    static int own[8], other[8];
    own[n - 1] = 1;
    own[n] = 2;  /* expect: GlobalOverflow text="0 bytes after `own` of statics, of size 32" */
    NEED(file_table[n]);  /* expect: GlobalOverflow text="4 bytes after `file_table`, of size 12" */
    records[n - 5].text[0] = 1;
    records[n - 4].text[0] = 1;  /* expect: GlobalOverflow text="4 bytes after `records`, of size 160" */
    return own[0] + other[0] + next_table[n - 4];
}

// Not looked at itself; neither must it hide the others (clang).
NOINLINE static int variable_length(int n) {
    int a[n];
    for (int i = 0; i < n; ++i) a[i] = i;
    return a[n - 1];
}

int main(void) {
    const int n = HIDE(8);
    loops(n + 2);
    arithmetic(n);
    rows(n);
    members(n);
    statics(n);
    variable_length(n);
    return 0;
}
