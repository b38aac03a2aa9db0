// SPDX-License-Identifier: GPL-2.0-or-later
// The energy of polarisation of a molecule: each term has a charge as a factor, and most charges are zero.
// -DFIXED tests for that before the term is calculated.
#include <math.h>
#include <stdio.h>

enum { kAtoms = 120 };
static double x[kAtoms], y[kAtoms], z[kAtoms], radius[kAtoms], charge[kAtoms];

static double potential_of(int i) {
    double sum = 0;
    for (int j = 0; j < kAtoms; ++j) {
        const double q = charge[j];
#ifdef FIXED
        if (q == 0) continue;
#endif
        const double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
        const double square = dx * dx + dy * dy + dz * dz, radii = radius[i] * radius[j];
        sum += q / sqrt(square + radii * exp(-square / (4 * radii)));
    }
    return sum;
}

int main(void) {
    for (int i = 0; i < kAtoms; ++i) {
        x[i] = i % 17 + 0.1;
        y[i] = i % 13 + 0.2;
        z[i] = i % 11 + 0.3;
        radius[i] = 1.2 + i % 3 * 0.1;
        charge[i] = i % 20 == 3 ? 0.4 : 0;
    }
    double energy = 0;
    for (int i = 0; i < kAtoms; ++i) energy -= potential_of(i) * (1 + charge[i]) / 2;
    printf("%.9g\n", energy);
    return 0;
}
