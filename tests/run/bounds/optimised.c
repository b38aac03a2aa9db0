// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: code whose addresses are folded, or go by other ways, is silent: optimised loops over neighbours with shifted
// indices, arrays that begin at one, arrays of variable length, alloca, unions, the last member as an array, a variable
// that is taken apart by bytes, and one reached from its member.
// COMPILE: gcc clang -O0 -O1 -O2 -O3
// EXPECT: nothing
// ARGS: --bounds=yes
#include <stddef.h>
#include <string.h>

#include "case.h"

struct Node {
    long value;
    struct Node* next;
};
struct Outer {
    int tag;
    struct Node node;
};
union Bits {
    double number;
    unsigned char bytes[8];
};

NOINLINE static long shifted(int n) {
    int a[16], b[16], c[16];
    for (int i = 0; i < n; ++i) a[i] = i;
    for (int i = 4; i < n + 4; ++i) b[i - 4] = a[n + 3 - i];
    for (int i = -n; i < 0; ++i) c[i + n] = a[i + n] + b[-i - 1];
    ESCAPE(a);
    ESCAPE(b);
    ESCAPE(c);
    return c[n - 1];
}

NOINLINE static long from_one(int n) {
    double values[8], *const v = values - 1;
    for (int i = 1; i <= n; ++i) v[i] = i;
    ESCAPE(values);
    return (long)v[n];
}

NOINLINE static long made(int n) {
    int vla[n];
    char* taken = __builtin_alloca(n);
    for (int i = 0; i < n; ++i) vla[i] = taken[i] = i;
    ESCAPE(vla);
    return vla[n - 1] + taken[n - 1];
}

NOINLINE static long parts(int n) {
    union Bits bits = {.number = 1.5};
    struct Outer outer = {1, {2, 0}};
    struct Node* node = &outer.node;
    ESCAPE(&outer);
    struct Outer* back = (struct Outer*)((char*)node - offsetof(struct Outer, node));
    unsigned char* bytes = (unsigned char*)&outer;
    long sum = back->tag + bits.bytes[n - 1];
    for (unsigned i = 0; i < sizeof outer; ++i) sum += bytes[i] & 0;
    return sum;
}

NOINLINE static long ended(int n) {
    static char digits[16], others[16];
    char local[16], *p = local + sizeof local, *q = digits + sizeof digits;
    for (int i = 0; i < 2 * n; ++i) *--p = *--q = (char)('0' + i);
    memcpy(others, p, sizeof others);
    return others[n] + *q;
}

int main(void) {
    const int n = HIDE(8);
    NEED(shifted(n) + from_one(n) + made(n) + parts(n) + ended(n));
    return 0;
}
