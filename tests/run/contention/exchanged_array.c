// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: of an array of which each thread writes its portion and reads those of others, the advice is about the array and says
// PROVES: where threads exchange it, and is not about the line in which two portions meet
// COMPILE: gcc -O1 -fopenmp
// ARGS: --leak-check=no
// SET: COUNT=40
// SHARING: TrueSharing names="field" text="Threads hand over data in field: .*(exchange|smooth)" at="read"
#include <omp.h>

#include "workers.h"

enum { CELLS = 1100 };
static LINE_ALIGNED struct { double value[7]; } field[CELLS];
static LINE_ALIGNED double smooth_field[CELLS];

static void smooth(void) {
#pragma omp parallel for num_threads(4) schedule(static)
    for (int i = 0; i < CELLS; ++i)
        smooth_field[i] = field[i].value[0] + field[(i + CELLS / 2) % CELLS].value[6]; /* label: read */
}

static void exchange(void) {
#pragma omp parallel for num_threads(4) schedule(static)
    for (int i = 0; i < CELLS; ++i) for (int k = 0; k < 7; ++k) field[i].value[k] = smooth_field[i] / 2;
}

int main(void) {
    for (int i = 0; i < CELLS; ++i) field[i].value[0] = i;
    for (int k = 0; k < COUNT; ++k) {
        smooth();
        exchange();
    }
    printf("%g\n", field[7].value[0]);
    return 0;
}
