// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: a program can take the undefined bits of its memory and set them, bit by bit, and uses of the bytes are judged
// PROVES: by the bits that it set, in heap blocks, static memory and on the stack; nothing is done on unaddressable memory
// ARGS: --leak-check=no
// COMPILE: gcc clang -O0 -O2
// SET: LENGTH=4
// SET: LENGTH=77
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <valgrind/memcheck.h>
#include "case.h"

#ifndef LENGTH
#define LENGTH 8
#endif

static unsigned char fixed[LENGTH];

NOINLINE static int in_frame(unsigned char first) {
    volatile unsigned char local[LENGTH];
    unsigned char bits[LENGTH];
    for (int i = 0; i < LENGTH; i++) local[i] = 0x55;
    memset(bits, 0, sizeof bits);
    bits[LENGTH - 1] = first;
    if (VALGRIND_SET_VBITS((void*)local, bits, LENGTH) != 1) return 1;
    BRANCH_ON(local[LENGTH - 1] & 0x0F);
    BRANCH_ON(local[LENGTH - 1] & 0x10);  /* expect: UninitCondition */
    return 0;
}
NOINLINE static int reuses_frame(void) {
    volatile unsigned char local[LENGTH];
    for (int i = 0; i < LENGTH; i++) local[i] = 1;
    BRANCH_ON(local[LENGTH - 1] == 1);
    return 0;
}

int main(void) {
    unsigned char* block = HIDE((unsigned char*)malloc(LENGTH));
    unsigned char* bits = HIDE((unsigned char*)malloc(LENGTH));
    block[1] = 3;
    if (VALGRIND_GET_VBITS(block, bits, LENGTH) != 1) return 1;
    BRANCH_ON(bits[0] == 0xFF);  // written by the request
    if (bits[0] != 0xFF || bits[1] != 0 || bits[LENGTH - 1] != 0xFF) return 2;

    memset(block, 0, LENGTH);
    memset(bits, 0, LENGTH);
    bits[2] = 0x81;
    if (VALGRIND_SET_VBITS(block, bits, LENGTH) != 1) return 3;
    BRANCH_ON(block[1]);
    BRANCH_ON(block[2] & 0x7E);
    BRANCH_ON(block[2] & 0x80);  /* expect: UninitCondition */
    BRANCH_ON(block[2] & 0x01);  /* expect: UninitCondition */
    memset(bits, 0, LENGTH);
    if (VALGRIND_GET_VBITS(block, bits, LENGTH) != 1 || bits[2] != 0x81 || bits[3] != 0) return 4;
    bits[2] = 0;
    if (VALGRIND_SET_VBITS(block, bits, LENGTH) != 1) return 5;
    BRANCH_ON(block[2]);

    bits[0] = 1;
    if (VALGRIND_SET_VBITS(fixed, bits, LENGTH) != 1) return 6;
    volatile unsigned char* f = HIDE((volatile unsigned char*)fixed);
    BRANCH_ON(f[0] & 2);
    BRANCH_ON(f[0] & 1);  /* expect: UninitCondition */
    if (in_frame(0x10) != 0 || reuses_frame() != 0) return 7;

    if (VALGRIND_GET_VBITS(block, bits, LENGTH + 1) != 3) return 8;
    if (VALGRIND_SET_VBITS(block - 1, bits, 1) != 3) return 9;
    char* gone = (char*)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(gone, 4096);
    if (VALGRIND_GET_VBITS(HIDE(gone), bits, 1) != 3 || VALGRIND_GET_VBITS(block, HIDE(gone), 1) != 3) return 10;
    free(block);
    if (VALGRIND_GET_VBITS(HIDE(block), bits, 1) != 3) return 11;
    free(bits);
    return 0;
}
