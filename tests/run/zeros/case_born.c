// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a double loop over pairs of atoms, in which every term has a mostly zero charge as a factor, gets the
// PROVES: advice to test for it
// ARGS: --zeros=all --contention=no
// COMPILE: gcc clang -O2 -lm
// EXPECT: nothing
// SET: ATOMS=120 FIXED=0
// ZEROS: row charge type=float zero>=ATOMS*ATOMS*4/5 advice=skip
// ZEROS: object heap:charges accessed=8*ATOMS redundant>=8*ATOMS*4/5
//
// tests/perf/zeros_speedup measures what following the advice brings (FIXED=1).
#include <math.h>

#include "loads.h"

struct Atom {
    double x, y, z, radius;
};

// Energy of polarisation as in generalised Born models.
static double energy(const struct Atom* atoms, const double* charges, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        double of_atom = 0;
        for (int j = 0; j < count; ++j) {
            const double charge = charges[j]; /* label: charge */
#if FIXED
            if (charge == 0) continue;
#endif
            const double dx = atoms[i].x - atoms[j].x, dy = atoms[i].y - atoms[j].y, dz = atoms[i].z - atoms[j].z;
            const double square = dx * dx + dy * dy + dz * dz;
            const double radii = atoms[i].radius * atoms[j].radius;
            of_atom += charge * (1 / sqrt(square + radii * exp(-square / (4 * radii)))); /* label: charge */
        }
        sum += charges[i] * of_atom;
    }
    return -sum / 2;
}

int main(void) {
    struct Atom* atoms = (struct Atom*)malloc(ATOMS * sizeof *atoms);
    double* charges = (double*)malloc(ATOMS * sizeof *charges); /* label: charges */
    for (int i = 0; i < ATOMS; ++i) {
        atoms[i] = (struct Atom){i % 17 + 0.1, i % 13 + 0.2, i % 11 + 0.3, 1.2 + i % 3 * 0.1};
        charges[i] = i % 10 == 3 ? (i % 20 == 3 ? 0.4 : -0.3) : 0;
    }
    printf("%.12g\n", energy(atoms, charges, ATOMS));
    free(atoms);
    free(charges);
    return 0;
}
