// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the classic demonstration, padded, gives no finding and next to no events
// COMPILE: gcc clang -O0 -pthread
// SET: COUNT=60000
// SET: COUNT=11000
// ALSO: --interleave=100
// ALSO: --defects=no
// COUNTS: modelled north+east+south+west events<=12
// COUNTS: modelled total ratio<=0.002
// EXPECT: nothing
#include "workers.h"

LINE_ALIGNED int north = 1;
LINE_ALIGNED int east = 1;
LINE_ALIGNED int south = 1;
LINE_ALIGNED int west = 1;
LINE_ALIGNED char end[LINE] = {1};

static void* add_north(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) north++;
    return NULL;
}
static void* add_east(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) east++;
    return NULL;
}
static void* add_south(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) south++;
    return NULL;
}
static void* add_west(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) west++;
    return NULL;
}

int main(void) {
    void* (*const work[4])(void*) = {add_north, add_east, add_south, add_west};
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work[i], (void*)(long)COUNT);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    return north != COUNT + 1;
}
