// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of a matrix go to the threads in turn.
// EXPECT: FalseSharing m 'Deal out m to the threads in multiples of 8'
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4 };
#define R 64
#define C 64
#ifdef MENDED
#define UNIT 8
#else
#define UNIT 1
#endif
static double* m;
static void* run(void* a) {
    int t = (int)(long)a;
    for (int it = 0; it < 3; ++it)
        for (int i = 0; i < R; ++i)
            for (int u = t * UNIT; u < C; u += THREADS * UNIT)
                for (int j = u; j < u + UNIT; ++j) m[i * C + j] = m[i * C + j] * 0.5 + j;
    return 0;
}
int main(void) {
    pthread_t th[THREADS];
    m = aligned_alloc(64, sizeof(double) * R * C);
    for (int i = 0; i < R * C; ++i) m[i] = i;
    for (long t = 0; t < THREADS; ++t) pthread_create(&th[t], 0, run, (void*)t);
    for (int t = 0; t < THREADS; ++t) pthread_join(th[t], 0);
    return 0;
}
