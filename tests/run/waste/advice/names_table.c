// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: names are compared one after the other. FIXED: by halves, as they are sorted.
#include <stdio.h>
#include <string.h>

enum { kNames = 24 };
static const char *const names[kNames] = {"alpha", "beta", "chi",     "delta", "epsilon", "eta", "gamma", "iota",
                                          "kappa", "lambda", "mu",    "nu",    "omega",   "omicron", "phi", "pi",
                                          "psi",   "rho",  "sigma",   "tau",   "theta",   "upsilon", "xi",  "zeta"};

__attribute__((noinline)) static int number_of(const char *name) {
#ifdef FIXED
    int low = 0, high = kNames;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (strcmp(names[middle], name) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
#else
    for (int i = 0; i < kNames; ++i)
        if (strcmp(names[i], name) == 0) // WASTE: search
            return i;
    return -1;
#endif
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 20000; ++i) {
        char name[16];
        strcpy(name, names[i * 7 % kNames]);
        sum += number_of(name);
    }
    printf("%ld\n", sum);
}
