// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: shuffles, unpacks and byte masks move undefined bytes with the data.
// ARCH: x86_64
// COMPILE: gcc clang -O0 -O2
#include <emmintrin.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    unsigned char* p = HIDE((unsigned char*)malloc(16));  /* label: A */
    for (int i = 0; i < 16; i++) if (i != 3) ((volatile unsigned char*)p)[i] = (unsigned char)i;
    __m128i v = _mm_loadu_si128((const __m128i*)p);
    __m128i wide = _mm_unpacklo_epi8(v, _mm_setzero_si128());
    wide = _mm_shuffle_epi32(wide, _MM_SHUFFLE(0, 1, 2, 3));
    unsigned short lanes[8] __attribute__((aligned(16)));
    _mm_store_si128((__m128i*)lanes, wide);
    ESCAPE(lanes);
    BRANCH_ON(lanes[0] == 6);
    BRANCH_ON(lanes[4] == 2);
    BRANCH_ON(lanes[5] == 9);  /* expect: UninitCondition origin=A */
    unsigned mask = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(7)));
    BRANCH_ON(HIDE(mask) & 0x80);
    BRANCH_ON(HIDE(mask) & 0x08);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
