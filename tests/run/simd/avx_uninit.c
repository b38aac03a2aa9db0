// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: undefined lanes of a 32-byte register are kept apart from the defined ones.
// ARCH: x86_64
// COMPILE: gcc -O0 -O2 -mavx2
// NEEDS: avx2
#include <immintrin.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    int* p = HIDE((int*)aligned_alloc(32, 32));  /* label: A */
    for (int i = 0; i < 8; i++) if (i != 5) ((volatile int*)p)[i] = i;
    __m256i v = _mm256_load_si256((const __m256i*)p);
    v = _mm256_slli_epi32(_mm256_add_epi32(v, _mm256_set1_epi32(3)), 1);
    int lanes[8] __attribute__((aligned(32)));
    _mm256_store_si256((__m256i*)lanes, v);
    ESCAPE(lanes);
    for (int i = 0; i < 5; i++) if (lanes[i] != 2 * (i + 3)) return 1;
    BRANCH_ON(lanes[6] == 18 && lanes[7] == 20);
    BRANCH_ON(lanes[5] == 0);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
