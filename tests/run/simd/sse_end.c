// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: 16-byte loads and stores that hang over the end of a block are reported in the program's own code.
// ARCH: x86_64
// COMPILE: gcc clang -O0 -O2
#include <emmintrin.h>
#include <stdlib.h>
#include "case.h"

static __m128i out;

int main(void) {
    char* p = HIDE((char*)calloc(1, 40));  /* label: A */
    __m128i v = _mm_loadu_si128((const __m128i*)(p + 24));
    ESCAPE(p);
    _mm_storeu_si128((__m128i*)(p + 25), v);  /* expect: InvalidWrite alloc=A text="size 16" only=memspy */ /* expect: InvalidWrite alloc=A only=memcheck */ /* expect: InvalidWrite alloc=A maybe=yes only=memcheck */
    ESCAPE(p);
    out = _mm_loadu_si128((const __m128i*)(p + 25));  /* expect: InvalidRead alloc=A only=memspy text="size 16" */ /* expect: InvalidRead alloc=A only=memcheck */
    ESCAPE(&out);
    free(p);
    return 0;
}
