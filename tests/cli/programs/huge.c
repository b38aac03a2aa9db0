// SPDX-License-Identifier: GPL-2.0-or-later
//
// Asks for 15 GB, touches 20 MB of it.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    size_t size = (size_t)15 << 30;
    volatile char* p = malloc(size);
    if (!p) return 1;
    for (size_t i = 0; i < (size_t)20 << 20; i += 64) p[size / 2 + i] = 1;
    for (int i = 0; i < 15; i++) p[((size_t)i << 30)] = 1;
    free((void*)p);
    puts("reached the end");
    return 0;
}
