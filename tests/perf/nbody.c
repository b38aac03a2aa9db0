// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: bodies that attract each other, every pair in each step, shared out to OpenMP threads. All threads
// read all positions, each writes its own bodies'. The sum of the last positions is printed, so that a wrong run
// shows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBodies = 640 };

static double position[3][kBodies], velocity[3][kBodies], next[3][kBodies];

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    for (int i = 0; i < kBodies; ++i)
        for (int axis = 0; axis < 3; ++axis)
            position[axis][i] = (double)((i * 7919 + axis * 104729) % 1000) / 100.0;
    for (int step = 0; step < steps; ++step) {
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (int i = 0; i < kBodies; ++i) {
                double force[3] = {0, 0, 0};
                for (int j = 0; j < kBodies; ++j) {
                    const double dx = position[0][j] - position[0][i], dy = position[1][j] - position[1][i],
                                 dz = position[2][j] - position[2][i];
                    const double square = dx * dx + dy * dy + dz * dz + 0.5;
                    const double pull = 1.0 / (square * sqrt(square));
                    force[0] += dx * pull;
                    force[1] += dy * pull;
                    force[2] += dz * pull;
                }
                for (int axis = 0; axis < 3; ++axis) {
                    velocity[axis][i] += 0.001 * force[axis];
                    next[axis][i] = position[axis][i] + 0.01 * velocity[axis][i];
                }
            }
#pragma omp for schedule(static)
            for (int i = 0; i < kBodies; ++i)
                for (int axis = 0; axis < 3; ++axis) position[axis][i] = next[axis][i];
        }
    }
    double sum = 0;
    for (int i = 0; i < kBodies; ++i) sum += position[0][i] + 2 * position[1][i] + 3 * position[2][i];
    printf("%.6f\n", sum);
    return 0;
}
