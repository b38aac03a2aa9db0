// SPDX-License-Identifier: GPL-2.0-or-later
//
// Spectral methods: fast Fourier transforms of complex numbers, radix 2, there and back. Ranks transform a row each,
// and exchange parts of rows between two transforms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

typedef struct {
    double re, im;
} Complex;

static void transform(Complex* z, const Complex* roots, int n, int back) {
    for (int i = 1, j = 0; i < n; ++i) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            const Complex t = z[i];
            z[i] = z[j];
            z[j] = t;
        }
    }
    for (int half = 1; half < n; half *= 2)
#pragma omp parallel for collapse(2)
        for (int from = 0; from < n; from += 2 * half)
            for (int k = 0; k < half; ++k) {
                const Complex w = roots[k * (n / (2 * half))];
                const double im = back ? -w.im : w.im;
                Complex *a = &z[from + k], *b = a + half;
                const double re = b->re * w.re - b->im * im, i = b->re * im + b->im * w.re;
                b->re = a->re - re;
                b->im = a->im - i;
                a->re += re;
                a->im += i;
            }
}

int main(int count, char** arguments) {
    begin();
    const int n = count > 1 ? atoi(arguments[1]) : 4096;
    Complex* const z = malloc(sizeof(Complex) * n);
    Complex* const roots = malloc(sizeof(Complex) * n);
    const double turn = 2 * acos(-1.0) / n;
    for (int i = 0; i < n; ++i) {
        z[i] = (Complex){i % 7, 0};
        roots[i] = (Complex){1 - turn * i * turn * i / 2, turn * i};
    }
    for (int round = 0; round < 8; ++round) {
        transform(z, roots, n, round & 1);
        in_ranks(Complex* const turned = malloc(sizeof(Complex) * n); const int part = n / ranks * 2;
                 MPI_Alltoall(z, part, MPI_DOUBLE, turned, part, MPI_DOUBLE, ALL);
                 for (int i = 0; i < n; ++i) z[i] = turned[i]; free(turned));
    }
    printf("%g\n", z[1].re);
    end();
    return 0;
}
