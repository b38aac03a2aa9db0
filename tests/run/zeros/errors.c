// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: on request a load of values whose type is too wide is an error, which its own suppression hides; a load of
// PROVES: values that need their width, a rare one and a variable are not errors
// ARGS: --zeros-errors=yes --contention=no
// COMPILE: gcc -O0 -O2
// SET: N=20000
// ZEROS: row narrow loads=5*N redundant=35*N advice=narrow:uint8_t
// ZEROS: row wide loads=5*N redundant=0 advice=none
// ZEROS: row rare loads=N/10 redundant=7*N/10
#include "loads.h"

int main(void) {
    int64_t* small = (int64_t*)malloc(8 * N);
    int64_t* large = (int64_t*)malloc(8 * N);
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) {
        STORE(small[i], 1 + i % 255);
        STORE(large[i], -1 - i);
    }
    for (int round = 0; round < 5; ++round)
        for (int i = 0; i < N; ++i) {
            sum += LOAD(small[i]); /* label: narrow */ /* expect: RedundantZeros text="8-byte integer.*uint8_t" */
            sum += LOAD(large[i]); /* label: wide */
        }
    for (int i = 0; i < N / 10; ++i) sum += LOAD(small[i]); /* label: rare */
    USE(sum);
    free(small);
    free(large);
    return 0;
}
