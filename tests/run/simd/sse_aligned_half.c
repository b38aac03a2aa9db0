// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an aligned 16-byte load of which only the first 8 bytes belong to the block is reported.
// ARCH: x86_64
#include <emmintrin.h>
#include <stdlib.h>
#include "case.h"

static __m128i out;

int main(void) {
    char* p = HIDE((char*)calloc(1, 24));  /* label: A */
    out = _mm_load_si128((const __m128i*)p);
    ESCAPE(&out);
    out = _mm_load_si128((const __m128i*)(p + 16));  /* expect: InvalidRead alloc=A text="size 16" only=memspy */
    ESCAPE(&out);
    free(p);
    return 0;
}
