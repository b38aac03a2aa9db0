// SPDX-License-Identifier: GPL-2.0-or-later
// Short arrays of which each thread has a part.
// EXPECT: FalseSharing mk 'a pitch of 64 bytes instead of 16'
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4 };
struct bodies {
    float *x, *y, *vx, *vy;
    int n;
};
#define PER 4
#define N (THREADS * PER)
#ifdef MENDED
#define CH 16
#define NN (THREADS * 16)
#else
#define CH PER
#define NN N
#endif
static struct bodies b;
static void* run(void* a) {
    int t = (int)(long)a;
    for (int s = 0; s < 1500; ++s)
        for (int i = t * CH; i < t * CH + PER; ++i) {
            volatile float *x = b.x, *y = b.y, *vx = b.vx, *vy = b.vy;
            vx[i] = vx[i] * 0.9f;
            vy[i] = vy[i] * 0.9f;
            x[i] = x[i] + vx[i];
            y[i] = y[i] + vy[i];
        }
    return 0;
}
static float* mk(void) {
    float* p = aligned_alloc(64, (NN * 4 + 63) / 64 * 64);
    for (int i = 0; i < NN; ++i) p[i] = 1;
    return p;
}
int main(void) {
    pthread_t th[THREADS];
    b.n = N;
    b.x = mk();
    b.y = mk();
    b.vx = mk();
    b.vy = mk();
    for (long t = 0; t < THREADS; ++t) pthread_create(&th[t], 0, run, (void*)t);
    for (int t = 0; t < THREADS; ++t) pthread_join(th[t], 0);
    return 0;
}
