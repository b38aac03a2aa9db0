/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks of one line that live at the same time are several; those of which each is freed before the next are one buffer. */
#include <stdlib.h>

static int *rows[3], *buffer;

static void __attribute__((noinline)) fill(int *values, int count) {
    for (int i = 0; i < count; ++i) values[i] = i;
}
static int *new_row(int count) { return malloc(count * sizeof(int)); }
static int *new_buffer(int count) { return malloc(count * sizeof(int)); }

int main(void) {
    for (int i = 0; i < 3; ++i) {
        rows[i] = new_row(64);
        fill(rows[i], 64);
    }
    for (int round = 0; round < 4; ++round) {
        buffer = new_buffer(64);
        fill(buffer, 64);
        free(buffer);
    }
    for (int i = 0; i < 3; ++i) free(rows[i]);
    return 0;
}
