// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: packed double arithmetic keeps its lanes apart.
// ARCH: x86_64
#include <emmintrin.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    double* p = HIDE((double*)malloc(16));  /* label: A */
    p[0] = 1.5;
    ESCAPE(p);
    __m128d v = _mm_mul_pd(_mm_loadu_pd(p), _mm_set1_pd(2));
    double out[2];
    _mm_storeu_pd(out, v);
    ESCAPE(out);
    BRANCH_ON(HIDE(((long*)out)[0]) == 7);
    BRANCH_ON(HIDE(((long*)out)[1]) == 7);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
