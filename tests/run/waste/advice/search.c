// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: keys are looked for from the front of an array, again and again. FIXED: an index by key.
#include <stdio.h>
#include <stdlib.h>

enum { kKeys = 1000 };
struct Entry {
    int key, value;
};
static struct Entry entries[kKeys];
static int place_of[kKeys * 4];

__attribute__((noinline)) static int find(int key) {
#ifdef FIXED
    return place_of[key] - 1;
#else
    for (int i = 0; i < kKeys; ++i)
        if (entries[i].key == key) // WASTE: search
            return i;
    return -1;
#endif
}

int main(int argc, char **argv) {
    const int lookups = argc > 1 ? atoi(argv[1]) : 600;
    for (int i = 0; i < kKeys; ++i) {
        entries[i].key = i * 3 + 1;
        entries[i].value = i;
        place_of[entries[i].key] = i + 1;
    }
    long sum = 0;
    unsigned seed = 1;
    for (int i = 0; i < lookups; ++i) {
        seed = seed * 1103515245 + 12345;
        const int at = find((int)(seed >> 8) % (kKeys * 3) & ~0);
        if (at >= 0)
            sum += entries[at].value;
    }
    printf("%ld\n", sum);
    return 0;
}
