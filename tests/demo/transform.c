// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each step of a spectral method damps the Fourier coefficients of a field by their squared frequency, which an index map keeps for
// every coefficient. With -DFIXED the map has the type that these numbers need.
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { kSide = 128, kSteps = 6, kMost = 2 * (kSide / 2) * (kSide / 2) };

#ifdef FIXED
typedef uint16_t Index;
#else
typedef int64_t Index;
#endif

static double field[kSide][kSide], damped[kSide][kSide], damping[kMost + 1];
static Index index_map[kSide][kSide];

static int frequency(int i) { return (i + kSide / 2) % kSide - kSide / 2; }

static void evolve(void) {
    for (int i = 0; i < kSide; ++i)
        for (int k = 0; k < kSide; ++k) damped[i][k] = field[i][k] * damping[index_map[i][k]];
}

int main(void) {
    for (int i = 0; i < kSide; ++i)
        for (int k = 0; k < kSide; ++k) {
            index_map[i][k] = frequency(i) * frequency(i) + frequency(k) * frequency(k);
            field[i][k] = 1 + sin(i) * cos(k);
        }
    double sum = 0;
    for (int step = 1; step <= kSteps; ++step) {
        for (int n = 0; n <= kMost; ++n) damping[n] = exp(-1e-4 * step * n);
        evolve();
        sum += damped[step][step];
    }
    printf("%.4f\n", sum);
    return 0;
}
