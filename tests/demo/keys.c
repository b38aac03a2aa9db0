// SPDX-License-Identifier: GPL-2.0-or-later
// A sort by counting: no key is larger than 199, and each takes four bytes. -DFIXED stores them in one.
#include <stdio.h>

#ifdef FIXED
typedef unsigned char Key;
#else
typedef int Key;
#endif

enum { kCount = 20000, kKeys = 200 };
static Key key[kCount], sorted[kCount];
static int place[kKeys + 1];

int main(void) {
    unsigned random = 1;
    for (int i = 0; i < kCount; ++i) key[i] = (Key)(((random = random * 1103515245 + 12345) >> 16) % kKeys);
    for (int i = 0; i < kCount; ++i) ++place[key[i] + 1];
    for (int k = 0; k < kKeys; ++k) place[k + 1] += place[k];
    for (int i = 0; i < kCount; ++i) sorted[place[key[i]]++] = key[i];
    for (int i = 1; i < kCount; ++i)
        if (sorted[i] < sorted[i - 1]) return 1;
    printf("%d %d\n", sorted[0], sorted[kCount - 1]);
    return 0;
}
