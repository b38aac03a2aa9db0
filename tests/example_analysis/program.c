// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stores N values of two bytes and loads M of eight.
#include <stdint.h>
#include <stdlib.h>

int main(int count, char** arguments) {
    static volatile int16_t narrow;
    static volatile int64_t wide;
    if (count < 3) return 1;
    for (int i = atoi(arguments[1]); i > 0; --i) narrow = (int16_t)i;
    for (int i = atoi(arguments[2]); i > 0; --i) (void)wide;
    return 0;
}
