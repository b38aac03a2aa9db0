// SPDX-License-Identifier: GPL-2.0-or-later
// A loop that is dealt out one by one marks what it has visited in bytes.
// EXPECT: FalseSharing visited '.' openmp
#include <omp.h>

#include "../../include/workers.h"
enum { CELLS = 1024, ROUNDS = 3 };
static LINE_ALIGNED volatile char visited[CELLS];

int main(void) {
    for (int round = 0; round < ROUNDS; ++round) {
#ifdef MENDED
#pragma omp parallel for num_threads(4) schedule(static, 64)
#else
#pragma omp parallel for num_threads(4) schedule(static, 1)
#endif
        for (int i = 0; i < CELLS; ++i) {
            pass_time(15);
            visited[i] += round;
        }
    }
    return 0;
}
