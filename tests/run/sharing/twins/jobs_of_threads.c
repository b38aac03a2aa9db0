// SPDX-License-Identifier: GPL-2.0-or-later
// Threads write results into what they were given.
// EXPECT: FalseSharing jobs 'Pad each element of jobs .32 bytes. to 64'
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4 };
struct job {
    const double* in;
    int n;
    double out[2];
#ifdef MENDED
    char pad[32];
#endif
};
static void* run(void* a) {
    volatile struct job* j = a;
    for (int i = 0; i < j->n; ++i) {
        j->out[0] += j->in[i];
        j->out[1] += j->in[i] * j->in[i];
    }
    return 0;
}
int main(void) {
    double* d = malloc(4000 * 8);
    for (int i = 0; i < 4000; ++i) d[i] = i;
#ifdef MENDED
    struct job* jobs = aligned_alloc(64, sizeof(struct job) * THREADS);
#else
    struct job* jobs = malloc(sizeof(struct job) * THREADS);
#endif
    pthread_t th[THREADS];
    for (int t = 0; t < THREADS; ++t) {
        jobs[t] = (struct job){.in = d, .n = 3000};
        pthread_create(&th[t], 0, run, &jobs[t]);
    }
    for (int t = 0; t < THREADS; ++t) pthread_join(th[t], 0);
    return jobs[0].out[0] > 0 ? 0 : 1;
}
