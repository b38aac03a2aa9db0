// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a variable-length array, whose place debug information tells only of a live frame, has its name, and the array of
// fixed length beside it its own
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: THREADS=4 COUNT=20000
// SHARING: FalseSharing text="inside fixed of count_all" at="fixed"
// SHARING: FalseSharing text="inside variable of count_all" at="variable"
#include <stdint.h>

#include "workers.h"

static LINE_ALIGNED long* fixed_slots;
static LINE_ALIGNED long* variable_slots;
static LINE_ALIGNED volatile int length = 2 * LINE / sizeof(long);

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        INCREMENT(fixed_slots[index]);    /* label: fixed */
        INCREMENT(variable_slots[index]); /* label: variable */
    }
}

static long* aligned(long* array) {
    return (long*)(((uintptr_t)array + LINE - 1) / LINE * LINE);
}

NOINLINE static long count_all(int words) {
    long fixed[2 * LINE / sizeof(long)] = {0};
    long variable[words];
    for (int i = 0; i < words; ++i) variable[i] = 0;
    fixed_slots = aligned(fixed);
    variable_slots = aligned(variable);
    run_together(THREADS, work);
    ESCAPE(fixed);
    ESCAPE(variable);
    return fixed_slots[0] + variable_slots[0];
}

int main(void) {
    return count_all(length) != 2 * COUNT;
}
