// SPDX-License-Identifier: GPL-2.0-or-later
// Scores sequences against a profile: the best of three ways into each cell of a table, row by row.
// With -DFIXED the best is found before it is stored.
#include <stdio.h>
#include <stdlib.h>

enum { kStates = 200, kLength = 150, kSequences = 4 };

__attribute__((noinline)) static void score(int *match, const int *before, const int *insert, const int *step, const int *enter, int begin) {
    for (int k = 1; k < kStates; ++k) {
        int other;
#ifdef FIXED
        int best = before[k - 1] + step[k];
        if ((other = insert[k - 1] + enter[k]) > best)
            best = other;
        if ((other = begin + enter[k]) > best)
            best = other;
        match[k] = best - 3;
#else
        match[k] = before[k - 1] + step[k];
        if ((other = insert[k - 1] + enter[k]) > match[k])
            match[k] = other;
        if ((other = begin + enter[k]) > match[k])
            match[k] = other;
        match[k] -= 3;
#endif
    }
}

int main(int argc, char **argv) {
    const int sequences = argc > 1 ? atoi(argv[1]) : kSequences;
    int *rows = malloc(2 * kStates * sizeof *rows), *insert = malloc(kStates * sizeof *insert);
    int *step = malloc(kStates * sizeof *step), *enter = malloc(kStates * sizeof *enter);
    for (int k = 0; k < kStates; ++k) {
        step[k] = k * 37 % 11;
        enter[k] = k * 29 % 13;
        insert[k] = k * 31 % 17 - 5;
        rows[k] = rows[kStates + k] = 0;
    }
    long sum = 0;
    for (int s = 0; s < sequences; ++s)
        for (int i = 0; i < kLength; ++i) {
            int *const row = rows + i % 2 * kStates, *const before = rows + (i + 1) % 2 * kStates;
            row[0] = i;
            score(row, before, insert, step, enter, i * (s + 3) % 19);
            sum += row[kStates - 1];
        }
    printf("%ld\n", sum);
    free(rows);
    free(insert);
    free(step);
    free(enter);
    return 0;
}
