// SPDX-License-Identifier: GPL-2.0-or-later
// Compares all pairs of sequences: the weight of a piece that fits depends on its length and score, and on the pair's lengths.
// A table of all weights is made for each pair; few of them are asked for. With -DFIXED a weight is made when it is asked for.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLengths = 30, kScores = 60, kSequences = 8, kPieces = 20 };

static double chance[kLengths][kScores], weights[kLengths][kScores];
static double pair_size;

static double weight(int length, int score) { return -log(1 - pow(1 - chance[length][score], pair_size / (length + 1))); }

__attribute__((noinline)) static void begin_pair(int one, int other) {
    pair_size = (double)one * other;
#ifndef FIXED
    for (int length = 0; length < kLengths; ++length)
        for (int score = 0; score < kScores; ++score)
            weights[length][score] = weight(length, score);
#endif
}

__attribute__((noinline)) static double weight_of(int length, int score) {
#ifdef FIXED
    return weight(length, score);
#else
    return weights[length][score];
#endif
}

int main(int argc, char **argv) {
    const int sequences = argc > 1 ? atoi(argv[1]) : kSequences;
    for (int length = 0; length < kLengths; ++length)
        for (int score = 0; score < kScores; ++score)
            chance[length][score] = 1.0 / (2 + length + 3 * score);
    double sum = 0;
    for (int i = 0; i < sequences; ++i)
        for (int j = 0; j < i; ++j) {
            begin_pair(100 + i % 7, 90 + j % 5);
            for (int piece = 0; piece < kPieces; ++piece)
                sum += weight_of((i + piece) % kLengths, (j * 7 + piece * 11) % kScores);
        }
    printf("%.6f\n", sum);
    return 0;
}
