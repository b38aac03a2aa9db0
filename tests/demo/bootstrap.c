// SPDX-License-Identifier: GPL-2.0-or-later
// Sums of three tables over positions that are drawn again and again: how often is the same table the largest?
// With -DFIXED the sums and the tables are local variables.
#include <stdio.h>
#include <stdlib.h>

enum { kPositions = 200, kRounds = 100 };

__attribute__((noinline)) static int best_of(const int *drawn, double *tables[3], const double start[3], double sums[3]) {
#ifdef FIXED
    double a = start[0], b = start[1], c = start[2];
    const double *const as = tables[0], *const bs = tables[1], *const cs = tables[2];
    for (int j = 0; j < kPositions; ++j) {
        a += as[drawn[j]];
        b += bs[drawn[j]];
        c += cs[drawn[j]];
    }
    sums[0] = a, sums[1] = b, sums[2] = c;
#else
    for (int i = 0; i < 3; ++i)
        sums[i] = start[i];
    for (int j = 0; j < kPositions; ++j)
        for (int i = 0; i < 3; ++i)
            sums[i] += tables[i][drawn[j]];
#endif
    int best = 0;
    for (int i = 1; i < 3; ++i)
        if (sums[i] > sums[best])
            best = i;
    return best;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : kRounds;
    double *tables[3], sums[3];
    const double start[3] = {1, 2, 3};
    int drawn[kPositions], counts[3] = {0};
    for (int i = 0; i < 3; ++i) {
        tables[i] = malloc(kPositions * sizeof *tables[i]);
        for (int j = 0; j < kPositions; ++j)
            tables[i][j] = (i * 31 + j * 17) % 23;
    }
    unsigned random = 7;
    for (int round = 0; round < rounds; ++round) {
        for (int j = 0; j < kPositions; ++j)
            drawn[j] = (int)((random = random * 1103515245u + 12345u) >> 16) % kPositions;
        ++counts[best_of(drawn, tables, start, sums)];
    }
    printf("%d %d %d\n", counts[0], counts[1], counts[2]);
    for (int i = 0; i < 3; ++i)
        free(tables[i]);
    return 0;
}
