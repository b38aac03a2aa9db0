// SPDX-License-Identifier: GPL-2.0-or-later
// Efficient: a sieve.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    enum { kMost = 200000 };
    char *composite = calloc(kMost + 1, 1);
    int count = 0;
    for (int i = 2; i <= kMost; ++i) {
        if (composite[i])
            continue;
        ++count;
        for (long j = (long)i * i; j <= kMost; j += i)
            composite[j] = 1;
    }
    printf("%d\n", count);
    free(composite);
    return 0;
}
