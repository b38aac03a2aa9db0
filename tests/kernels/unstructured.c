// SPDX-License-Identifier: GPL-2.0-or-later
//
// Unstructured grids: fluxes over the edges of a mesh whose points are numbered at random, gathered from both ends
// and scattered to them.
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double density, x, y, energy;
} State;
typedef struct {
    int from, to;
    double nx, ny;
} Edge;

int main(int count, char** arguments) {
    const int side = count > 1 ? atoi(arguments[1]) : 64, n = side * side;
    int* const number = malloc(sizeof(int) * n);
    State* const state = malloc(sizeof(State) * n);
    State* const change = calloc(n, sizeof(State));
    Edge* const edges = malloc(sizeof(Edge) * n * 3);
    unsigned random = 1;
    for (int i = 0; i < n; ++i) number[i] = i;
    for (int i = n - 1; i > 0; --i) {
        random = random * 1103515245u + 12345;
        const int j = (int)((random >> 8) % (unsigned)(i + 1)), t = number[i];
        number[i] = number[j];
        number[j] = t;
    }
    int m = 0;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const int at = y * side + x;
            state[at] = (State){1 + at % 3, 0.1, 0.2, 2};
            if (x + 1 < side) edges[m++] = (Edge){number[at], number[at + 1], 1, 0.1};
            if (y + 1 < side) edges[m++] = (Edge){number[at], number[at + side], 0.1, 1};
            if (x + 1 < side && y + 1 < side) edges[m++] = (Edge){number[at], number[at + side + 1], 0.7, 0.7};
        }
    for (int step = 0; step < 12; ++step) {
        for (int e = 0; e < m; ++e) {
            const State *a = &state[edges[e].from], *b = &state[edges[e].to];
            const double speed = 0.5 * ((a->x + b->x) * edges[e].nx + (a->y + b->y) * edges[e].ny);
            const State flux = {speed * (a->density + b->density), speed * (a->x + b->x),
                                speed * (a->y + b->y), speed * (a->energy + b->energy)};
            State *from = &change[edges[e].from], *to = &change[edges[e].to];
            from->density -= flux.density, to->density += flux.density;
            from->x -= flux.x, to->x += flux.x;
            from->y -= flux.y, to->y += flux.y;
            from->energy -= flux.energy, to->energy += flux.energy;
        }
        for (int i = 0; i < n; ++i) {
            state[i].density += 1e-3 * change[i].density;
            state[i].energy += 1e-3 * change[i].energy;
            change[i] = (State){0, 0, 0, 0};
        }
    }
    printf("%g\n", state[0].density);
    return 0;
}
