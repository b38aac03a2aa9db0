// SPDX-License-Identifier: GPL-2.0-or-later
//
// Spectral methods as libraries have them: transforms of radix 4 from one array to another (Stockham), complex numbers
// beside each other, factors from a table; in straight code for four elements.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double re, im;
} Complex;

static Complex times(Complex a, Complex b) {
    return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void stage(int n, int s, const Complex* table, int total, const Complex* x, Complex* y) {
    const int m = n / 4;
    for (int p = 0; p < m; ++p) {
        const int t = p * (total / n);
        const Complex w1 = table[t], w2 = table[2 * t], w3 = table[3 * t];
        for (int q = 0; q < s; ++q) {
            const Complex a = x[q + s * p], b = x[q + s * (p + m)], c = x[q + s * (p + 2 * m)],
                          d = x[q + s * (p + 3 * m)];
            const Complex ac = {a.re + c.re, a.im + c.im}, amc = {a.re - c.re, a.im - c.im};
            const Complex bd = {b.re + d.re, b.im + d.im}, jbd = {b.im - d.im, d.re - b.re};
            y[q + s * 4 * p] = (Complex){ac.re + bd.re, ac.im + bd.im};
            y[q + s * (4 * p + 1)] = times((Complex){amc.re + jbd.re, amc.im + jbd.im}, w1);
            y[q + s * (4 * p + 2)] = times((Complex){ac.re - bd.re, ac.im - bd.im}, w2);
            y[q + s * (4 * p + 3)] = times((Complex){amc.re - jbd.re, amc.im - jbd.im}, w3);
        }
    }
}

int main(int count, char** arguments) {
    const int n = count > 1 ? atoi(arguments[1]) : 4096;  // a power of four
    Complex *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *table = malloc(n * sizeof *table);
    for (int i = 0; i < n; ++i) {
        x[i] = (Complex){i % 7, i % 3};
        table[i] = (Complex){cos(2 * M_PI * i / n), -sin(2 * M_PI * i / n)};
    }
    for (int turn = 0; turn < 10; ++turn) {
        for (int length = n, s = 1; length >= 4; length /= 4, s *= 4) {
            stage(length, s, table, n, x, y);
            Complex* const other = x;
            x = y;
            y = other;
        }
        for (int i = 0; i < n; ++i) x[i] = (Complex){x[i].re / n, x[i].im / n};
    }
    printf("%g\n", x[1].re);
    return 0;
}
