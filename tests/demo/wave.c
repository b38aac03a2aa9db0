// SPDX-License-Identifier: GPL-2.0-or-later
// A wave in a box of which most planes are still at rest. -DFIXED keeps the numbers of the planes that are not.
#include <stdio.h>

enum { kPlanes = 32, kSize = 24, kSteps = 10 };
static double field[kPlanes][kSize][kSize], next[kPlanes][kSize][kSize];
static int active[kPlanes], actives;

static void step(int p) {
    for (int i = 1; i < kSize - 1; ++i)
        for (int j = 1; j < kSize - 1; ++j)
            next[p][i][j] = 0.2 * (field[p][i][j] + field[p][i - 1][j] + field[p][i + 1][j] +
                                   field[p][i][j - 1] + field[p][i][j + 1]);
}

int main(void) {
    for (int p = 5; p < kPlanes; p += 8)
        for (int i = 0; i < kSize; ++i)
            for (int j = 0; j < kSize; ++j) field[p][i][j] = 1.0 / (1 + (i * 7 + j * 13) % 31);
    for (int p = 0; p < kPlanes; ++p)
#ifdef FIXED
        if (p % 8 == 5)
#endif
            active[actives++] = p;
    for (int s = 0; s < kSteps; ++s) {
        for (int a = 0; a < actives; ++a) step(active[a]);
        for (int a = 0; a < actives; ++a)
            for (int i = 1; i < kSize - 1; ++i)
                for (int j = 1; j < kSize - 1; ++j) field[active[a]][i][j] = next[active[a]][i][j];
    }
    printf("%.9g\n", field[5][3][4] + field[13][5][6]);
    return 0;
}
