// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: explicit hydrodynamics on an unstructured mesh of hexahedra. Each element gathers the places of its
// eight nodes, and writes forces to its corners; each node adds up those of its corners by a table, and moves.
// Elements and nodes are shared out to OpenMP threads in loops of a step; small reductions find the next time
// step. The energy is printed, so that a wrong run shows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int side, elements, nodes;
static double *place[3], *speed[3], *force[3], *corner_force[3];
static double *volume, *first_volume, *energy, *pressure, *mass, *node_mass;
static int *node_of, *corner_start, *corner_of;

static void* allocate(size_t count, size_t bytes) {
    void* memory = calloc(count, bytes);
    if (memory == NULL) exit(1);
    return memory;
}

static void make_mesh(void) {
    const int n = side + 1;
    int element = 0;
    for (int k = 0; k < side; ++k)
        for (int j = 0; j < side; ++j)
            for (int i = 0; i < side; ++i, ++element)
                for (int c = 0; c < 8; ++c)
                    node_of[element * 8 + c] = (i + (c & 1)) + n * ((j + (c >> 1 & 1)) + n * (k + (c >> 2)));
    for (int at = 0; at < elements * 8; ++at) ++corner_start[node_of[at] + 1];
    for (int node = 0; node < nodes; ++node) corner_start[node + 1] += corner_start[node];
    int* next = allocate((size_t)nodes, sizeof(int));
    for (int at = 0; at < elements * 8; ++at) corner_of[corner_start[node_of[at]] + next[node_of[at]]++] = at;
    free(next);
    for (int node = 0; node < nodes; ++node) {
        place[0][node] = node % n;
        place[1][node] = node / n % n;
        place[2][node] = node / n / n;
        node_mass[node] = 1;
    }
    for (int e = 0; e < elements; ++e) energy[e] = e == 0 ? 100 : 1, mass[e] = 1, first_volume[e] = 1;
}

static double volume_of(const double p[3][8]) {
    double a[3], b[3], c[3];
    for (int d = 0; d < 3; ++d) {
        a[d] = (p[d][1] + p[d][3] + p[d][5] + p[d][7] - p[d][0] - p[d][2] - p[d][4] - p[d][6]) / 4;
        b[d] = (p[d][2] + p[d][3] + p[d][6] + p[d][7] - p[d][0] - p[d][1] - p[d][4] - p[d][5]) / 4;
        c[d] = (p[d][4] + p[d][5] + p[d][6] + p[d][7] - p[d][0] - p[d][1] - p[d][2] - p[d][3]) / 4;
    }
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static void forces(void) {
#pragma omp parallel for schedule(static)
    for (int e = 0; e < elements; ++e) {
        double p[3][8];
        for (int c = 0; c < 8; ++c)
            for (int d = 0; d < 3; ++d) p[d][c] = place[d][node_of[e * 8 + c]];
        volume[e] = volume_of((const double(*)[8])p);
        pressure[e] = 0.4 * energy[e] * mass[e] / volume[e];
        for (int c = 0; c < 8; ++c)
            for (int d = 0; d < 3; ++d) corner_force[d][e * 8 + c] = (c >> d & 1 ? 0.25 : -0.25) * pressure[e];
    }
#pragma omp parallel for schedule(static)
    for (int node = 0; node < nodes; ++node)
        for (int d = 0; d < 3; ++d) {
            double sum = 0;
            for (int at = corner_start[node]; at < corner_start[node + 1]; ++at) sum += corner_force[d][corner_of[at]];
            force[d][node] = sum;
        }
}

static void move(double step) {
#pragma omp parallel for schedule(static)
    for (int node = 0; node < nodes; ++node)
        for (int d = 0; d < 3; ++d) {
            speed[d][node] += step * force[d][node] / node_mass[node];
            place[d][node] += step * speed[d][node];
        }
}

static double work(double step) {
    double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int e = 0; e < elements; ++e) {
        double p[3][8];
        for (int c = 0; c < 8; ++c)
            for (int d = 0; d < 3; ++d) p[d][c] = place[d][node_of[e * 8 + c]];
        const double now = volume_of((const double(*)[8])p);
        energy[e] -= pressure[e] * (now - volume[e]) / mass[e];
        const double change = fabs(now - volume[e]) / step;
        if (change > most) most = change;
        volume[e] = now;
    }
    return most;
}

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 20;
    side = argc > 2 ? atoi(argv[2]) : 16;
    elements = side * side * side;
    nodes = (side + 1) * (side + 1) * (side + 1);
    double** of_nodes[] = {&place[0], &place[1], &place[2], &speed[0], &speed[1], &speed[2],
                           &force[0], &force[1], &force[2], &node_mass};
    for (int i = 0; i < 10; ++i) *of_nodes[i] = allocate((size_t)nodes, sizeof(double));
    double** of_elements[] = {&volume, &first_volume, &energy, &pressure, &mass};
    for (int i = 0; i < 5; ++i) *of_elements[i] = allocate((size_t)elements, sizeof(double));
    for (int d = 0; d < 3; ++d) corner_force[d] = allocate((size_t)elements * 8, sizeof(double));
    node_of = allocate((size_t)elements * 8, sizeof(int));
    corner_of = allocate((size_t)elements * 8, sizeof(int));
    corner_start = allocate((size_t)nodes + 1, sizeof(int));
    make_mesh();
    double step = 1e-3;
    for (int number = 0; number < steps; ++number) {
        forces();
        move(step);
        const double most = work(step);
        step = most > 0 && 0.01 / most < 2e-3 ? 0.01 / most : 2e-3;
    }
    double sum = 0;
    for (int e = 0; e < elements; ++e) sum += energy[e];
    printf("%d elements, energy %.4e\n", elements, sum);
    return 0;
}
