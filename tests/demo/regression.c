// SPDX-License-Identifier: GPL-2.0-or-later
//
// Four threads fit a line through points: each adds up its share in its own element of an array. With
// -DFIXED each element has lines of its own.
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 4, kPoints = 20000 };

struct Sums {
#ifdef FIXED
    _Alignas(64)
#endif
    double x, y, xx, xy;
};

static double xs[kPoints], ys[kPoints];
static struct Sums sums[kThreads];

static void *fit(void *argument) {
    struct Sums *const mine = argument;
    const long share = kPoints / kThreads, first = (mine - sums) * share;
    for (long i = first; i < first + share; ++i) {
        mine->x += xs[i];
        mine->y += ys[i];
        mine->xx += xs[i] * xs[i];
        mine->xy += xs[i] * ys[i];
    }
    return NULL;
}

int main(void) {
    for (int i = 0; i < kPoints; ++i) {
        xs[i] = i * 0.5;
        ys[i] = 3 * xs[i] + 1;
    }
    pthread_t threads[kThreads];
    for (int t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, fit, &sums[t]);
    struct Sums all = {0};
    for (int t = 0; t < kThreads; ++t) {
        pthread_join(threads[t], NULL);
        all.x += sums[t].x;
        all.y += sums[t].y;
        all.xx += sums[t].xx;
        all.xy += sums[t].xy;
    }
    const double slope = (kPoints * all.xy - all.x * all.y) / (kPoints * all.xx - all.x * all.x);
    printf("slope %.3f\n", slope);
    return 0;
}
