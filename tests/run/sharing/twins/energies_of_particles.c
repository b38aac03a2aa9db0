// SPDX-License-Identifier: GPL-2.0-or-later
// Particles are dealt out to threads in turn; each has a record of 32 bytes.
// EXPECT: FalseSharing particles '.'
#include "../../include/workers.h"
enum { THREADS = 4, PARTICLES = 64 };
struct Particle {
    volatile double x, v, e, m;
#ifdef MENDED
    double apart[4];
#endif
};
static struct Particle particles[PARTICLES] LINE_ALIGNED;

static void work(int index) {
    for (int step = 0; step < 60; ++step)
        for (int i = index; i < PARTICLES; i += THREADS) {
            particles[i].x += particles[i].v;
            particles[i].e += particles[i].x;
        }
}

int main(void) {
    run_together(THREADS, work);
    return 0;
}
