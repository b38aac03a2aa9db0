// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the classic demonstration: four threads, four neighbouring ints, about two events per increment, all four named
// COMPILE: gcc clang -O0 -pthread
// SET: COUNT=60000
// SET: COUNT=11000
// ALSO: --interleave=100
// ALSO: --defects=no
// COUNTS: modelled total ratio=0.3..0.45
// COUNTS: modelled a+b+c+d events=4*COUNT*1.7..4*COUNT*2.8 true=0
// COUNTS: observed a+b+c+d events<=100 when=!--interleave
// SHARING: FalseSharing names="a b c d" text="64" at="in_a in_b in_c in_d"
#include "workers.h"

LINE_ALIGNED int a = 1;
int b = 1, c = 1, d = 1;

static void* add_a(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) a++; /* label: in_a */
    return NULL;
}
static void* add_b(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) b++; /* label: in_b */
    return NULL;
}
static void* add_c(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) c++; /* label: in_c */
    return NULL;
}
static void* add_d(void* argument) {
    const long n = (long)argument;
    for (long i = 0; i < n; ++i) d++; /* label: in_d */
    return NULL;
}

int main(void) {
    void* (*const work[4])(void*) = {add_a, add_b, add_c, add_d};
    pthread_t threads[4];
    NEED_TRUE((size_t)&a / LINE == (size_t)&b / LINE && (size_t)&a / LINE == (size_t)&c / LINE &&
              (size_t)&a / LINE == (size_t)&d / LINE);
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work[i], (void*)(long)COUNT);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    return a != COUNT + 1;
}
