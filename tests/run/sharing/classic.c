// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the classic demonstration: four threads, four neighbouring ints, about two events per increment, all four named
// COMPILE: gcc clang -O0 -pthread
// SET: COUNT=60000
// SET: COUNT=11000
// ALSO: --interleave=100
// ALSO: --defects=no
// COUNTS: modelled total ratio=0.3..0.45
// COUNTS: modelled north+east+south+west events=4*COUNT*1.7..4*COUNT*2.8 true<=20
// The bounded skew lets each thread run for at least 1,000 increments; each slice has a miss and an invalidation.
// COUNTS: observed north+east+south+west events<=100+4*COUNT/500 when=!--interleave
// SHARING: FalseSharing names="north east south west" text="64" sides=add
#include "workers.h"

LINE_ALIGNED int north = 1;
int east = 1, south = 1, west = 1;

static void* add_north(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) north++; /* label: add */
    return NULL;
}
static void* add_east(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) east++; /* label: add */
    return NULL;
}
static void* add_south(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) south++; /* label: add */
    return NULL;
}
static void* add_west(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) west++; /* label: add */
    return NULL;
}

int main(void) {
    void* (*const work[4])(void*) = {add_north, add_east, add_south, add_west};
    pthread_t threads[4];
    NEED_TRUE((size_t)&north / LINE == (size_t)&east / LINE && (size_t)&north / LINE == (size_t)&south / LINE &&
              (size_t)&north / LINE == (size_t)&west / LINE);
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work[i], (void*)(long)COUNT);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    return north != COUNT + 1;
}
