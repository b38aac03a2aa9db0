// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the classic demonstration, padded, gives no finding and next to no events
// COMPILE: gcc clang -O0 -pthread
// SET: COUNT=60000
// SET: COUNT=11000
// ALSO: --interleave=100
// ALSO: --defects=no
// COUNTS: modelled a+b+c+d events<=12
// COUNTS: modelled total ratio<=0.002
// EXPECT: nothing
#include "workers.h"

LINE_ALIGNED int a = 1;
LINE_ALIGNED int b = 1;
LINE_ALIGNED int c = 1;
LINE_ALIGNED int d = 1;
LINE_ALIGNED char end[LINE] = {1};

static void* add_a(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) a++;
    return NULL;
}
static void* add_b(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) b++;
    return NULL;
}
static void* add_c(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) c++;
    return NULL;
}
static void* add_d(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) d++;
    return NULL;
}

int main(void) {
    void* (*const work[4])(void*) = {add_a, add_b, add_c, add_d};
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work[i], (void*)(long)COUNT);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    return a != COUNT + 1;
}
