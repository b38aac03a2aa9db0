// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined value that goes through a vector register is found at the branch, and the defined lanes beside
// it are silent.
// ARCH: x86_64
#include <emmintrin.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)aligned_alloc(16, 16));  /* label: A */
    p[0] = 1;
    p[1] = 2;
    p[3] = 4;
    ESCAPE(p);
    __m128i v = _mm_load_si128((const __m128i*)p);
    v = _mm_add_epi32(v, _mm_set1_epi32(1));
    int lanes[4] __attribute__((aligned(16)));
    _mm_store_si128((__m128i*)lanes, v);
    ESCAPE(lanes);
    BRANCH_ON(lanes[0] == 2);
    BRANCH_ON(lanes[1] == 3);
    BRANCH_ON(lanes[3] == 5);
    BRANCH_ON(lanes[2] == 9);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
