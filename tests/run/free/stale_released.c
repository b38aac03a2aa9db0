// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: a freed block is still known as freed after it left the queue, as long as its memory is not reused: large
// PROVES: ones, whose pages went back to the kernel, and small ones; the access does not end the program
// ARGS: --leak-check=no --freelist-vol=1000000
// COMPILE: gcc clang -O0 -O1
#include <stdlib.h>
#include <string.h>
#include "case.h"

enum { kBlocks = 40 };

static NOINLINE void read_large(char* at) { NEED(*(volatile char*)at); }   /* expect: InvalidRead alloc=L free=FL */
static NOINLINE void write_large(char* at) { *(volatile char*)at = 1; }   /* expect: InvalidWrite alloc=L free=FL */
static NOINLINE void read_small(char* at) { NEED(*(volatile char*)at); }   /* expect: InvalidRead alloc=S free=FS */

int main(void) {
    char* large[kBlocks];
    char* small[kBlocks];
    for (int i = 0; i < kBlocks; ++i) {
        large[i] = HIDE((char*)malloc(900000));  /* label: L */
        small[i] = HIDE((char*)malloc(3000));    /* label: S */
    }
    for (int i = 0; i < kBlocks; ++i) free(large[i]);  /* label: FL */
    for (int i = 0; i < kBlocks; ++i) free(small[i]);  /* label: FS */
    char* last = HIDE((char*)malloc(2000000));
    free(last);
    for (int i = 0; i < kBlocks; ++i) read_large(large[i] + 1000);
    for (int i = 0; i < kBlocks; ++i) write_large(large[i] + 500000);
    for (int i = 0; i < kBlocks; ++i) read_small(small[i] + 2999);
    free(small[1]);  /* expect: InvalidFree alloc=S free=FS */
    free(large[1]);  /* expect: InvalidFree alloc=L free=FL */
    // calloc's memory is zeroed, even if it was released before.
    char* again = HIDE((char*)calloc(1, 900000));
    int sum = 0;
    for (int i = 0; i < 900000; ++i) sum |= again[i];
    free(again);
    return sum;
}
