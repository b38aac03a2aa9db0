// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: in an array of structures, the bytes of each member that are always redundant, and padding that is never
// PROVES: loaded
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O0 -O2
// SET: N=1000
// ZEROS: object items size=24*N accessed=23*N cells=25*N redundant=12*N columns=24:1-7,17-19,22-22 advice=narrow
// ZEROS: row id redmap=0,N,N,N,N,N,N,N
// ZEROS: row value type=float redundant=N
// ZEROS: row flag redmap=0,N,N,N
// ZEROS: row code redundant=0 loads=N
// ZEROS: row letter zero=N advice=constant
#include "loads.h"

struct Item {
    int64_t id;
    double value;
    int32_t flag;
    int16_t code;
    char letter;
};
static struct Item items[N];

int main(void) {
    for (int i = 0; i < N; ++i) items[i] = (struct Item){i % 255 + 1, 0.1, 1, 300, 0};
    double sum = 0;
    int64_t all = 0;
    for (int i = 0; i < N; ++i) {
        all += LOAD(items[i].id); /* label: id */
        sum += LOAD(items[i].value); /* label: value */
        all += LOAD(items[i].flag); /* label: flag */
        all += LOAD(items[i].code); /* label: code */
        all += LOAD(items[i].letter); /* label: letter */
    }
    USE(sum);
    USE(all);
    return 0;
}
