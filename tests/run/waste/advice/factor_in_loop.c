// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: the factor behind a pointer is loaded for each element, because a store might change it. FIXED: a local copy.
#include <stdio.h>
#include <stdlib.h>

struct Filter {
    double factor, offset;
};

__attribute__((noinline)) static void apply(double *out, const double *in, const struct Filter *filter, int count) {
#ifdef FIXED
    const double factor = filter->factor;
    for (int i = 0; i < count; ++i)
        out[i] = in[i] * factor;
#else
    for (int i = 0; i < count; ++i)
        out[i] = in[i] * filter->factor; // WASTE: invariant
#endif
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 50;
    const int count = 4000;
    double *in = malloc(sizeof *in * count), *out = malloc(sizeof *out * count);
    for (int i = 0; i < count; ++i)
        in[i] = i;
    double sum = 0;
    for (int r = 0; r < rounds; ++r) {
        const struct Filter filter = {r * 0.5, 1};
        apply(out, in, &filter, count);
        for (int i = 0; i < count; ++i)
            sum += out[i] * filter.offset;
        double *other = in;
        in = out;
        out = other;
        if (r % 8 == 7)
            for (int i = 0; i < count; ++i)
                in[i] = i + r;
    }
    printf("%g\n", sum);
    free(in);
    free(out);
    return 0;
}
