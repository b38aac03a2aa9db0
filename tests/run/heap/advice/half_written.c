// SPDX-License-Identifier: GPL-2.0-or-later
// A buffer is made for the largest input, and a small one fills a part of it, of which one third is read.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const int used = 30000;
#ifdef FIXED
    int* buffer = malloc((size_t)used * sizeof *buffer);
#else
    int* buffer = malloc(200000 * sizeof *buffer);  // ADVICE: unread: allocate less
#endif
    long sum = 0;
    for (int i = 0; i < used; ++i) buffer[i] = i * 3;
    for (int i = 0; i < used / 3; ++i) sum += buffer[i];
    printf("%ld\n", sum);
    free(buffer);
}
