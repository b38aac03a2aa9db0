// SPDX-License-Identifier: GPL-2.0-or-later
//
// Linked in before anything else, so that two programs can be compared: static variables begin at a page's begin, and the
// program says where its heap begins.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((aligned(4096))) int oracle_first_of_data = 1, oracle_first_of_bss;

// What the C and C++ libraries have allocated before is not the same everywhere: so blocks begin at a page, too.
__attribute__((constructor)) static void tell(void) {
    char text[64], *block = malloc(24);  // takes 32 bytes
    if ((uintptr_t)block % 32 != 16) block = malloc(40);
    while ((uintptr_t)block % 4096 != 16) block = malloc(24);
    const int size = snprintf(text, sizeof text, "heap\t%p\n", (void *)block);
    if (write(2, text, (size_t)size) != size) abort();
}
