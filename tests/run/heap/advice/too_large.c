// SPDX-License-Identifier: GPL-2.0-or-later
// A table has room for a million numbers, of which a few are used.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const int used = 3000;
#ifdef FIXED
    int* table = malloc((size_t)used * sizeof *table);
#else
    int* table = malloc(1000000 * sizeof *table);  // ADVICE: unread: allocate less
#endif
    long sum = 0;
    for (int i = 0; i < used; ++i) table[i] = i * 3;
    for (int round = 0; round < 10; ++round)
        for (int i = 0; i < used; ++i) sum += table[i];
    printf("%ld\n", sum);
    free(table);
}
