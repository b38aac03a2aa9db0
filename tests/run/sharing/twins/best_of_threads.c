// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread keeps its best value and its place.
// EXPECT: FalseSharing best 'Pad each element of best .16 bytes. to 64' openmp
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };
typedef struct {
    double value;
    int index;
} best_t;
#ifdef MENDED
typedef struct {
    _Alignas(64) double value;
    int index;
} slot_t;
#else
typedef best_t slot_t;
#endif
int main(void) {
    int n = 16000;
    double* x = malloc(n * sizeof *x);
    for (int i = 0; i < n; ++i) x[i] = (i * 7919) % 10007 + 20000 - i;
    slot_t* best = aligned_alloc(64, (sizeof(slot_t) * THREADS + 63) / 64 * 64);
    omp_set_num_threads(THREADS);
#pragma omp parallel
    {
        volatile slot_t* me = &best[omp_get_thread_num()];
        me->value = 1e30;
        me->index = -1;
#pragma omp for
        for (int i = 0; i < n; ++i)
            if (x[i] < me->value + (i & 3) * 1000) {
                me->value = x[i];
                me->index = i;
            }
    }
    printf("%d\n", best[0].index);
    return 0;
}
