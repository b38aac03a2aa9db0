// SPDX-License-Identifier: GPL-2.0-or-later
//
// Monte Carlo integration: points from a generator with a table of numbers, a function that is called for each point, a
// histogram for each dimension.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLag = 607, kOther = 273, kDimensions = 5, kBins = 40 };
static unsigned long table[kLag];
static int position;

static double drawn(void) {
    const int other = position + kOther >= kLag ? position + kOther - kLag : position + kOther;
    const unsigned long word = table[position] += table[other];
    position = position + 1 == kLag ? 0 : position + 1;
    return (double)(word >> 11) * 0x1p-53;
}

static double peak(const double* x, int n) {
    double square = 0;
    for (int i = 0; i < n; ++i) square += (x[i] - 0.4) * (x[i] - 0.4);
    return exp(-square * 3);
}

int main(int count, char** arguments) {
    const int points = count > 1 ? atoi(arguments[1]) : 20000;
    double (*volatile function)(const double*, int) = peak;
    double(*bins)[kBins] = calloc(kDimensions, sizeof *bins);
    unsigned long seed = 1;
    for (int i = 0; i < kLag; ++i) table[i] = seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    double sum = 0, squares = 0;
    for (int i = 0; i < points; ++i) {
        double x[kDimensions];
        int bin[kDimensions];
        for (int d = 0; d < kDimensions; ++d) {
            x[d] = drawn();
            bin[d] = (int)(x[d] * kBins);
        }
        const double value = function(x, kDimensions);
        sum += value;
        squares += value * value;
        for (int d = 0; d < kDimensions; ++d) bins[d][bin[d]] += value * value;
    }
    printf("%g %g %g\n", sum / points, squares, bins[0][3]);
    return 0;
}
