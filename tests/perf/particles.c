// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: particles in a grid of cells, as in a simulation of a fluid. In each step cells are cleared, particles
// put into them (with atomic updates of the cells' counts), densities and forces computed from neighbours in the cells
// around, and particles moved. Cells are shared out to OpenMP threads. A sum is printed, so that a wrong run
// shows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSide = 12, kCells = kSide * kSide * kSide, kRoom = 16 };
struct Particle {
    float place[3], speed[3];
};
struct Cell {
    int count;
    struct Particle particles[kRoom];
    float density[kRoom];
    float push[kRoom][3];
};
static struct Cell *now, *next;

static int cell_at(const float place[3]) {
    int at[3];
    for (int d = 0; d < 3; ++d) {
        at[d] = (int)place[d];
        if (at[d] < 0) at[d] = 0;
        if (at[d] >= kSide) at[d] = kSide - 1;
    }
    return at[0] + kSide * (at[1] + kSide * at[2]);
}

static void fill(void) {
    unsigned random = 1;
    for (int c = 0; c < kCells; ++c) {
        now[c].count = 2;
        for (int n = 0; n < 2; ++n)
            for (int d = 0; d < 3; ++d) {
                random = random * 1664525 + 1013904223;
                const int base[] = {c % kSide, c / kSide % kSide, c / kSide / kSide};
                now[c].particles[n].place[d] = (float)base[d] + (float)(random >> 8) / (1 << 24);
                now[c].particles[n].speed[d] = (float)(random >> 12 & 255) / 1024 - 0.125f;
            }
    }
}

static void sort(void) {
#pragma omp parallel for schedule(static)
    for (int c = 0; c < kCells; ++c) next[c].count = 0;
#pragma omp parallel for schedule(static)
    for (int c = 0; c < kCells; ++c)
        for (int n = 0; n < now[c].count; ++n) {
            const int to = cell_at(now[c].particles[n].place);
            int place;
#pragma omp atomic capture
            place = next[to].count++;
            if (place < kRoom) next[to].particles[place] = now[c].particles[n];
        }
    struct Cell* swap = now;
    now = next;
    next = swap;
}

static int around(int c, int found[27]) {
    const int i = c % kSide, j = c / kSide % kSide, k = c / kSide / kSide;
    int count = 0;
    for (int dk = -1; dk <= 1; ++dk)
        for (int dj = -1; dj <= 1; ++dj)
            for (int di = -1; di <= 1; ++di)
                if (i + di >= 0 && i + di < kSide && j + dj >= 0 && j + dj < kSide && k + dk >= 0 && k + dk < kSide)
                    found[count++] = c + di + kSide * (dj + kSide * dk);
    return count;
}

static int count_of(const struct Cell* cell) { return cell->count < kRoom ? cell->count : kRoom; }

static void interact(int pushes) {
#pragma omp parallel for schedule(static)
    for (int c = 0; c < kCells; ++c) {
        int near[27];
        const int cells = around(c, near);
        struct Cell* own = &now[c];
        for (int n = 0; n < count_of(own); ++n) {
            float density = 0, push[3] = {0, 0, -0.01f};
            for (int i = 0; i < cells; ++i) {
                const struct Cell* other = &now[near[i]];
                for (int m = 0; m < count_of(other); ++m) {
                    float distance[3], square = 0;
                    for (int d = 0; d < 3; ++d) {
                        distance[d] = own->particles[n].place[d] - other->particles[m].place[d];
                        square += distance[d] * distance[d];
                    }
                    if (square >= 1 || square == 0) continue;
                    if (!pushes) {
                        density += (1 - square) * (1 - square) * (1 - square);
                        continue;
                    }
                    const float strength = (1 - square) * 0.001f * (own->density[n] + other->density[m]);
                    for (int d = 0; d < 3; ++d) push[d] += strength * distance[d];
                }
            }
            if (!pushes)
                own->density[n] = density;
            else
                for (int d = 0; d < 3; ++d) own->push[n][d] = push[d];
        }
    }
}

static void move(void) {
#pragma omp parallel for schedule(static)
    for (int c = 0; c < kCells; ++c)
        for (int n = 0; n < count_of(&now[c]); ++n)
            for (int d = 0; d < 3; ++d) {
                struct Particle* p = &now[c].particles[n];
                p->speed[d] += now[c].push[n][d];
                p->place[d] += 0.1f * p->speed[d];
                if (p->place[d] < 0 || p->place[d] > kSide) p->speed[d] = -p->speed[d];
            }
}

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    now = calloc(kCells, sizeof *now);
    next = calloc(kCells, sizeof *next);
    if (now == NULL || next == NULL) return 1;
    fill();
    for (int step = 0; step < steps; ++step) {
        sort();
        interact(0);
        interact(1);
        move();
    }
    int count = 0;
    double sum = 0;
    for (int c = 0; c < kCells; ++c)
        for (int n = 0; n < count_of(&now[c]); ++n, ++count) sum += now[c].particles[n].place[2];
    printf("%d particles, height %.2f\n", count, sum / count);
    return 0;
}
