// SPDX-License-Identifier: GPL-2.0-or-later
// The inner loop's variable is shared by the threads of an OpenMP construct.
// EXPECT: TrueSharing k 'Make k private: .*OpenMP: private.k..*removes.*To change: k' openmp
#include "../../include/workers.h"
enum { SIZE = 100 };
static LINE_ALIGNED volatile int k;
static char end[LINE] __attribute__((unused));
static LINE_ALIGNED volatile double matrix[SIZE][16];
#ifdef MENDED
#pragma omp threadprivate(k)
#endif

int main(void) {
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < SIZE; ++i)
        for (k = 0; k < SIZE; k++) matrix[i][0] += i;
    return matrix[1][0] > 0 ? 0 : 1;
}
