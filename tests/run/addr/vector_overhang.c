// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: a vector load that hangs over the end of a block is reported whatever the function is called
// COMPILE: gcc clang -O2
// ARCH: x86_64
#include <stdlib.h>
#include <emmintrin.h>
#include "case.h"

static volatile __m128i sink;

static NOINLINE void stream_sum(const int* p) {
    sink = _mm_load_si128((const __m128i*)p + 1);  /* expect: InvalidRead alloc=A */
}
static NOINLINE void mem_total(const int* p) {
    sink = _mm_load_si128((const __m128i*)p + 1);  /* expect: InvalidRead alloc=A */
}
static NOINLINE void wcs_like(const int* p) {
    sink = _mm_loadu_si128((const __m128i*)(p + 3));  /* expect: InvalidRead alloc=A */
}

int main(void) {
    int* p = HIDE((int*)malloc(6 * sizeof(int)));  /* label: A */
    for (int i = 0; i < 6; ++i) p[i] = i;
    stream_sum(p);
    mem_total(p);
    wcs_like(p);
    free(p);
    return 0;
}
