// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an array that a header's inline function allocates goes by the line that calls it, one that a function of the
// PROVES: program makes by that function's
// COMPILE: gcc -O0 -O2 -pthread
// SET: COUNT=20000
// SHARING: FalseSharing text="heap block force of main .allocating_header.c:[0-9]+"
// SHARING: FalseSharing text="heap block made of make .allocating_header.c:[0-9]+"
#include <stdlib.h>

#include "workers.h"
// clang-format off
# 3 "vectors.h"
static inline long* vector(int count) { return calloc((size_t)count, sizeof(long)); }
# 15 "allocating_header.c"
// clang-format on

static long *forces, *masses;

NOINLINE static long* make(int count) {
    long* made = calloc((size_t)count, sizeof(long));
    ESCAPE(made);
    return made;
}

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        INCREMENT(forces[index]);
        INCREMENT(masses[index]);
    }
}

int main(void) {
    long* force = vector(8);
    char* between = malloc(4096);
    ESCAPE(between);
    masses = make(8);
    forces = force;
    run_together(3, work);
    free(between);
    return 0;
}
