// SPDX-License-Identifier: GPL-2.0-or-later
//
// Unstructured grids: elements of eight corners that gather from points, compute, and add to the points, numbered in blocks
// that are shuffled.
#include <stdio.h>
#include <stdlib.h>

enum { kCorners = 8 };
typedef struct {
    double at[3], speed[3], force[3], mass;
} Point;

int main(int count, char** arguments) {
    const int n = count > 1 ? atoi(arguments[1]) : 14, points = (n + 1) * (n + 1) * (n + 1),
              elements = n * n * n;
    int* number = malloc(sizeof(int) * points);
    for (int i = 0; i < points; ++i) number[i] = i;
    srand(7);
    for (int i = points - 1; i > 0; --i) {
        const int j = rand() % (i + 1), other = number[i];
        number[i] = number[j];
        number[j] = other;
    }
    Point* all = calloc(points, sizeof *all);
    int(*corner)[kCorners] = malloc(elements * sizeof *corner);
    for (int i = 0; i < points; ++i) {
        Point* p = all + number[i];
        p->at[0] = i % (n + 1), p->at[1] = i / (n + 1) % (n + 1), p->at[2] = i / (n + 1) / (n + 1);
        p->mass = 1;
    }
    for (int i = 0; i < elements; ++i)
        for (int c = 0; c < kCorners; ++c)
            corner[i][c] =
                number[((i / n / n + c / 4) * (n + 1) + i / n % n + c / 2 % 2) * (n + 1) + i % n + c % 2];
    for (int step = 0; step < 8; ++step) {
        for (int i = 0; i < elements; ++i) {
            double side[3][3] = {{0}};
            for (int c = 0; c < kCorners; ++c)
                for (int d = 0; d < 3; ++d)
                    for (int s = 0; s < 3; ++s)
                        side[s][d] += (c >> s & 1 ? 0.25 : -0.25) * all[corner[i][c]].at[d];
            double area[3][3], volume = 0;
            for (int s = 0; s < 3; ++s)
                for (int d = 0; d < 3; ++d) {
                    const double *a = side[(s + 1) % 3], *b = side[(s + 2) % 3];
                    area[s][d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
                }
            for (int d = 0; d < 3; ++d) volume += area[0][d] * side[0][d];
            const double pressure = 0.1 / volume;
            for (int c = 0; c < kCorners; ++c)
                for (int d = 0; d < 3; ++d) {
                    double sum = 0;
                    for (int s = 0; s < 3; ++s) sum += (c >> s & 1 ? 1 : -1) * area[s][d];
                    all[corner[i][c]].force[d] += pressure * sum;
                }
        }
        for (int i = 0; i < points; ++i)
            for (int d = 0; d < 3; ++d) {
                all[i].speed[d] += 0.001 * all[i].force[d] / all[i].mass;
                all[i].at[d] += 0.001 * all[i].speed[d];
                all[i].force[d] = 0;
            }
    }
    printf("%g\n", all[1].at[0]);
    return 0;
}
