// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: of the floating-point values that usual kernels load, at least 95 % are known to be floating-point
// ARGS: --zeros=code --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O3 -O1 -O2 -ffast-math -gdwarf-4 -lm
// SET: N=1000
// ZEROS: total float elements=17*N*95/100..17*N+20
#include <math.h>
#include "loads.h"

static double a[N + 2], b[N + 2], out[N + 2];
static float f[N], g[N], wide[N], high[N];
static struct { float x, y; int tag; } points[N];

int main(void) {
    for (int i = 0; i < N; ++i) {
        a[i] = b[i] = i + 0.5;
        f[i] = g[i] = wide[i] = high[i] = points[i].x = points[i].y = (float)i + 0.25f;
        points[i].tag = i;
    }
    BARRIER();
    // 17 for each i, and a few in libc.
    double dot = 0, most = 0, bits = 0;
    for (int i = 0; i < N; ++i) dot += LOAD(a[i]) * LOAD(b[i]);
    for (int i = 0; i < N; ++i) out[i] = LOAD(a[i]) + LOAD(a[i + 1]) + LOAD(a[i + 2]);
    for (int i = 0; i < N; ++i) most = LOAD(a[i]) > most ? LOAD(a[i]) : most;
    for (int i = 0; i < N; ++i) g[i] = LOAD(f[i]) * 3.0f + LOAD(g[i]);
    for (int i = 0; i < N; ++i) dot += (double)LOAD(f[i]);
    for (int i = 0; i < N; ++i) out[i] += sqrt(fabs(LOAD(b[i]) - 7));
    for (int i = 0; i < N; ++i) bits += (int)LOAD(f[i]);
    for (int i = 0; i < N; ++i) dot += LOAD(points[i].x) * LOAD(points[i].y);
    BARRIER();
    float sum = 0;
    for (int i = 0; i < N; ++i) sum += wide[i] * high[i];
    NEED(sum);
    NEED(dot + most + bits);
    ESCAPE(out);
    return 0;
}
