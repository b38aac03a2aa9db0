// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread of a parallel region notes in a byte whether it has found something.
// EXPECT: FalseSharing found 'Pad each element of found .1 byte' openmp
#include <omp.h>

#include "../../include/workers.h"
enum { THREADS = 4 };
#ifdef MENDED
enum { STEP = 64 };
#else
enum { STEP = 1 };
#endif
static LINE_ALIGNED volatile char found[THREADS * STEP];

int main(void) {
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < 1000; ++i) {
        pass_time(30);
        found[omp_get_thread_num() * STEP] |= i % 7 == 0;
    }
    return 0;
}
