// SPDX-License-Identifier: GPL-2.0-or-later
//
// N-body methods: forces between all pairs of bodies. All ranks get all positions in each step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

typedef struct {
    double x, y, z, mass, vx, vy, vz;
} Body;

int main(int count, char** arguments) {
    begin();
    const int n = count > 1 ? atoi(arguments[1]) : 400;
    const int first = n / ranks * rank, last = rank == ranks - 1 ? n : first + n / ranks;
    Body* const bodies = calloc(n, sizeof(Body));
    for (int i = 0; i < n; ++i) bodies[i] = (Body){i % 17, i % 23, i % 31, 1 + i % 3, 0, 0, 0};
    for (int step = 0; step < 3; ++step) {
#pragma omp parallel for
        for (int i = first; i < last; ++i) {
            double ax = 0, ay = 0, az = 0;
            for (int j = 0; j < n; ++j) {
                const double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y,
                             dz = bodies[j].z - bodies[i].z;
                const double square = dx * dx + dy * dy + dz * dz + 0.01;
                const double force = bodies[j].mass / (square * sqrt(square));
                ax += force * dx;
                ay += force * dy;
                az += force * dz;
            }
            bodies[i].vx += 0.01 * ax;
            bodies[i].vy += 0.01 * ay;
            bodies[i].vz += 0.01 * az;
        }
#pragma omp parallel for
        for (int i = first; i < last; ++i) {
            bodies[i].x += bodies[i].vx;
            bodies[i].y += bodies[i].vy;
            bodies[i].z += bodies[i].vz;
        }
        in_ranks(int bytes[64]; int at[64]; for (int r = 0; r < ranks; ++r) {
            at[r] = n / ranks * r * (int)sizeof(Body);
            bytes[r] = (r == ranks - 1 ? n - n / ranks * r : n / ranks) * (int)sizeof(Body);
        } MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, bodies, bytes, at, MPI_BYTE, ALL));
    }
    printf("%g\n", bodies[0].x);
    end();
    return 0;
}
