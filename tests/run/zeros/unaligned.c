// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: loads that start at any byte, across words and lines
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=1000
// ZEROS: row load loads=N redmap=0,N,N,N,N,N,N,N
// ZEROS: object items size=9*N accessed=8*N redundant=7*N zero8>=1
#include "loads.h"

struct __attribute__((packed)) Item {
    char never_loaded;
    int64_t value;
};
static struct Item items[N];

int main(void) {
    for (int i = 0; i < N; ++i) items[i] = (struct Item){-1, i % 255 + 1};
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(items[i].value); /* label: load */
    USE(sum);
    return 0;
}
