// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: a large freed block has no pages while it waits for reuse, its uses are reported all the same and do not end
// PROVES: the program; a small one keeps what it holds
// ARGS: --leak-check=no
// COMPILE: gcc clang -O0 -O1
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "case.h"

enum { kLarge = 300000, kSmall = 20000, kPage = 4096 };

static NOINLINE void read_large(char* at) { NEED(*(volatile char*)at); }   /* expect: InvalidRead alloc=L free=FL */
static NOINLINE void write_large(char* at) { *(volatile char*)at = 1; }   /* expect: InvalidWrite alloc=L free=FL */
static NOINLINE int read_small(char* at) { return *(volatile char*)at; }   /* expect: InvalidRead alloc=S free=FS */

static int pages_at(char* at, size_t bytes) {
    unsigned char resident[kLarge / kPage];
    char* first = (char*)(((uintptr_t)at + kPage - 1) / kPage * kPage);
    size_t pages = (size_t)(at + bytes - first) / kPage;
    int count = 0;
    if (mincore(first, pages * kPage, resident) != 0) return -1;
    for (size_t i = 0; i < pages; ++i) count += resident[i] & 1;
    return count;
}

int main(void) {
    char* large = HIDE((char*)malloc(kLarge));  /* label: L */
    char* small = HIDE((char*)malloc(kSmall));  /* label: S */
    memset(large, 7, kLarge);
    memset(small, 7, kSmall);
    if (pages_at(large, kLarge) < kLarge / kPage - 2) return 1;
    free(large);  /* label: FL */
    free(small);  /* label: FS */
    if (pages_at(large, kLarge) != 0) return 2;
    read_large(large + kLarge / 2);
    write_large(large + kLarge / 3);
    return read_small(small + kSmall / 2) == 7 ? 0 : 3;
}
