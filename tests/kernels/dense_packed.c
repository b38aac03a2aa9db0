// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dense linear algebra as libraries have it: the product of matrices in packed panels, whose inner part of 4 by 8 keeps
// its sums in registers.
#include <stdio.h>
#include <stdlib.h>

typedef double Row __attribute__((vector_size(64)));

enum { kHigh = 4, kWide = 8, kDeep = 64, kTall = 32 };

static void pack_left(int n, int row, int deep, int rows, int depth, const double* a, double* panel) {
    for (int i = 0; i < rows; i += kHigh)
        for (int k = 0; k < depth; ++k)
            for (int h = 0; h < kHigh; ++h) *panel++ = a[(size_t)(row + i + h) * n + deep + k];
}

static void pack_right(int n, int deep, int depth, const double* b, double* panel) {
    for (int j = 0; j < n; j += kWide)
        for (int k = 0; k < depth; ++k)
            for (int w = 0; w < kWide; ++w) *panel++ = b[(size_t)(deep + k) * n + j + w];
}

static void block(int n, int depth, const double* left, const double* right, double* c) {
    Row s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int k = 0; k < depth; ++k, left += kHigh, right += kWide) {
        const Row b = *(const Row*)right;
        s0 += left[0] * b;
        s1 += left[1] * b;
        s2 += left[2] * b;
        s3 += left[3] * b;
    }
    for (int w = 0; w < kWide; ++w) {
        c[w] += s0[w];
        c[n + w] += s1[w];
        c[2 * n + w] += s2[w];
        c[3 * n + w] += s3[w];
    }
}

int main(int count, char** arguments) {
    const int n = (count > 1 ? atoi(arguments[1]) : 96) / kTall * kTall;
    const size_t all = (size_t)n * n;
    double *a = malloc(all * 8), *b = malloc(all * 8), *c = calloc(all, 8);
    double *left = aligned_alloc(64, kTall * kDeep * 8), *right = aligned_alloc(64, (size_t)kDeep * n * 8);
    for (size_t i = 0; i < all; ++i) {
        a[i] = i % 7;
        b[i] = i % 5;
    }
    for (int deep = 0; deep < n; deep += kDeep) {
        const int depth = n - deep < kDeep ? n - deep : kDeep;
        pack_right(n, deep, depth, b, right);
        for (int row = 0; row < n; row += kTall) {
            pack_left(n, row, deep, kTall, depth, a, left);
            for (int j = 0; j < n; j += kWide)
                for (int i = 0; i < kTall; i += kHigh)
                    block(n, depth, left + (size_t)i * depth, right + (size_t)j * depth,
                          c + (size_t)(row + i) * n + j);
        }
    }
    printf("%g\n", c[n + 1]);
    return 0;
}
