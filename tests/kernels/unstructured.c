// SPDX-License-Identifier: GPL-2.0-or-later
//
// Unstructured grids: fluxes over the edges of a mesh whose points are numbered at random, gathered from both ends
// and scattered to them. Ranks have strips of the mesh; they add up what came to the points between two strips, and agree
// on the length of a step.
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

typedef struct {
    double density, x, y, energy;
} State;
typedef struct {
    int from, to;
    double nx, ny;
} Edge;

static inline void move(double* from, double* to, double flux) {
#pragma omp atomic
    *from -= flux;
#pragma omp atomic
    *to += flux;
}

int main(int count, char** arguments) {
    begin();
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
    const int first = side * rank / ranks, last = side * (rank + 1) / ranks;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const int at = y * side + x;
            state[at] = (State){1 + at % 3, 0.1, 0.2, 2};
            if (y < first || y >= last) continue;
            if (x + 1 < side) edges[m++] = (Edge){number[at], number[at + 1], 1, 0.1};
            if (y + 1 < side) edges[m++] = (Edge){number[at], number[at + side], 0.1, 1};
            if (x + 1 < side && y + 1 < side)
                edges[m++] = (Edge){number[at], number[at + side + 1], 0.7, 0.7};
        }
    in_ranks(State* const sent = malloc(sizeof(State) * 4 * side); State* const got = sent + 2 * side);
    for (int step = 0; step < 12; ++step) {
#pragma omp parallel for
        for (int e = 0; e < m; ++e) {
            const State *a = &state[edges[e].from], *b = &state[edges[e].to];
            const double speed = 0.5 * ((a->x + b->x) * edges[e].nx + (a->y + b->y) * edges[e].ny);
            const State flux = {speed * (a->density + b->density), speed * (a->x + b->x),
                                speed * (a->y + b->y), speed * (a->energy + b->energy)};
            State *from = &change[edges[e].from], *to = &change[edges[e].to];
            move(&from->density, &to->density, flux.density);
            move(&from->x, &to->x, flux.x);
            move(&from->y, &to->y, flux.y);
            move(&from->energy, &to->energy, flux.energy);
        }
        // The strip's first points, shared with the rank before, and those behind its last, shared with the next.
        in_ranks(
            MPI_Request requests[4]; double length = 1e-3; for (int edge = 0; edge < 2; ++edge) {
                const int y = edge == 0 ? first : last;
                const int other = y == 0 || y == side ? MPI_PROC_NULL : rank + 2 * edge - 1;
                for (int x = 0; x < side && y < side; ++x)
                    sent[edge * side + x] = change[number[y * side + x]];
                MPI_Irecv(got + edge * side, 4 * side, MPI_DOUBLE, other, 0, ALL, &requests[edge]);
                MPI_Isend(sent + edge * side, 4 * side, MPI_DOUBLE, other, 0, ALL, &requests[2 + edge]);
            } MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
            for (int edge = 0; edge < 2; ++edge) {
                const int y = edge == 0 ? first : last;
                for (int x = 0; x < side && y > 0 && y < side; ++x)
                    change[number[y * side + x]].density += got[edge * side + x].density;
            } MPI_Allreduce(MPI_IN_PLACE, &length, 1, MPI_DOUBLE, MPI_MIN, ALL));
#pragma omp parallel for
        for (int i = 0; i < n; ++i) {
            state[i].density += 1e-3 * change[i].density;
            state[i].energy += 1e-3 * change[i].energy;
            change[i] = (State){0, 0, 0, 0};
        }
    }
    printf("%g\n", state[0].density);
    end();
    return 0;
}
