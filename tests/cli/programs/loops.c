// SPDX-License-Identifier: GPL-2.0-or-later
//
// Computes for so many seconds.
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
    const time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1) + 1;
    volatile unsigned sum = 0;
    while (time(NULL) < end)
        for (unsigned i = 0; i < 1000; ++i) sum += i;
    return 0;
}
