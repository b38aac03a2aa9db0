// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: 32-byte loads and stores inside a block are silent; one that hangs over the end is reported.
// ARCH: x86_64
// COMPILE: gcc -O0 -O2 -mavx2
// NEEDS: avx2
#include <immintrin.h>
#include <stdlib.h>
#include "case.h"

static __m256i out;

int main(void) {
    char* p = HIDE((char*)malloc(72));  /* label: A */
    for (int i = 0; i < 72; i++) ((volatile char*)p)[i] = 1;
    __m256i v = _mm256_loadu_si256((const __m256i*)(p + 40));
    ESCAPE(p);
    v = _mm256_add_epi8(v, v);
    _mm256_storeu_si256((__m256i*)(p + 8), v);
    ESCAPE(p);
    _mm256_storeu_si256((__m256i*)(p + 48), v);  /* expect: InvalidWrite alloc=A */ /* expect: InvalidWrite alloc=A maybe=yes */
    ESCAPE(p);
    out = v;
    free(p);
    return 0;
}
