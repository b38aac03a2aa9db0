// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the update of a field in three dimensions with nine tenths zero planes gets the advice to leave these
// PROVES: planes out
// ARGS: --zeros=all --contention=no
// COMPILE: gcc clang -O1 -O2
// EXPECT: nothing
// SET: PLANES=40 SIZE=32 STEPS=1 FIXED=0
// ZEROS: object heap:field stride=8*SIZE*SIZE rows=PLANES zerorows=PLANES*9/10 advice=sparse
// ZEROS: row load type=float fraction=0.85..1 advice=skip
//
// tests/perf/zeros_speedup measures what following the advice brings (FIXED=1).
#include "loads.h"

typedef double Plane[SIZE][SIZE];

#if FIXED
static int is_zero(const Plane* plane) {
    const double* values = &(*plane)[0][0];
    for (int i = 0; i < SIZE * SIZE; ++i)
        if (values[i] != 0) return 0;
    return 1;
}
#endif

// Each plane moves towards the mean of its points' neighbours in the plane.
static void update(const Plane* field, Plane* next, const char* skipped, double rate) {
    for (int p = 0; p < PLANES; ++p) {
#if FIXED
        if (skipped[p]) continue;
#endif
        for (int y = 0; y < SIZE; ++y)
            for (int x = 0; x < SIZE; ++x) {
                const double here = field[p][y][x]; /* label: load */
                const double beside = field[p][y][(x + 1) % SIZE] + field[p][y][(x + SIZE - 1) % SIZE] +
                                      field[p][(y + 1) % SIZE][x] + field[p][(y + SIZE - 1) % SIZE][x];
                next[p][y][x] = here + rate * (beside / 4 - here); /* label: load */
            }
    }
    (void)skipped;
}

int main(void) {
    Plane* field = (Plane*)calloc(PLANES, sizeof *field); /* label: field */
    Plane* next = (Plane*)calloc(PLANES, sizeof *next);
    char skipped[PLANES] = {0};
    for (int p = 4; p < PLANES; p += 10)
        for (int y = 0; y < SIZE; ++y)
            for (int x = 0; x < SIZE; ++x) field[p][y][x] = 1.0 / (1 + (x * 7 + y * 13) % 31);
#if FIXED
    for (int p = 0; p < PLANES; ++p) skipped[p] = (char)is_zero(&field[p]);
#endif
    for (int step = 0; step < STEPS; ++step) {
        update(field, next, skipped, 0.3);
        Plane* swap = field;
        field = next;
        next = swap;
    }
    double sum = 0;
    for (int p = 4; p < PLANES; p += 10) sum += field[p][1][2];
    printf("%.12g\n", sum);
    free(field);
    free(next);
    return 0;
}
