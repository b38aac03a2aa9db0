// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a program that writes 100 bytes over both ends of its blocks is reported, and the run ends in order.
// TOOL: memspy
#include <stdlib.h>
#include "case.h"

enum { kOver = 100, kBlocks = 50 };

NOINLINE static void put(char* p) {
    *p = (char)0xff;  /* expect: InvalidWrite count=2 */
    ESCAPE(p);
}

NOINLINE static void trample(char* p, long size) {
    for (long i = size; i < size + kOver; i++) put(p + i);
    for (long i = -1; i >= -kOver; i--) put(p + i);
}

int main(void) {
    static char* blocks[kBlocks];
    for (long i = 0; i < kBlocks; i++) blocks[i] = (char*)malloc((size_t)(i * 13 + 1));
    for (long i = 0; i < kBlocks; i++) trample(HIDE(blocks[i]), i * 13 + 1);
    for (long i = 0; i < kBlocks; i++) free(blocks[i]);
    for (long i = 0; i < 1000; i++) free(HIDE(malloc((size_t)i)));
    return 0;
}
// COMPILE: gcc -O0 -O1 -O1
