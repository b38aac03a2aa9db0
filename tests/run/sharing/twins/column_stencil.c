// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has a band of columns of a grid and averages over neighbours, also those of the next bands.
// EXPECT: - . '.' all
#include "../../include/workers.h"
#ifdef MENDED
enum { PITCH = 128, BAND = 32 };
#else
enum { PITCH = 100, BAND = 25 };
#endif
enum { ROWS = 64, WIDTH = 25, THREADS = 4 };
static LINE_ALIGNED double old[ROWS][PITCH], new[ROWS][PITCH];
static pthread_barrier_t all;
static int places[WIDTH * THREADS];

static void work(int index) {
    double(*from)[PITCH] = old, (*to)[PITCH] = new;
    for (int sweep = 0; sweep < 30; ++sweep) {
        for (int i = 1; i < ROWS - 1; ++i)
            for (int j = index * WIDTH; j < (index + 1) * WIDTH; ++j) {
                if (j == 0 || j == WIDTH * THREADS - 1) continue;
                to[i][places[j]] = 0.25 * (from[i - 1][places[j]] + from[i + 1][places[j]] + from[i][places[j - 1]] +
                                          from[i][places[j + 1]]) + 1;
            }
        pthread_barrier_wait(&all);
        double(*const other)[PITCH] = from;
        from = to;
        to = other;
    }
}

int main(void) {
    for (int j = 0; j < WIDTH * THREADS; ++j) places[j] = j / WIDTH * BAND + j % WIDTH;
    pthread_barrier_init(&all, NULL, THREADS);
    run_together(THREADS, work);
    return new[5][3] > 0 ? 0 : 1;
}
