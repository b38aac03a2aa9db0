// SPDX-License-Identifier: GPL-2.0-or-later
// Each pair of particles adds to both, atomically: compilers make loops of that, whose loads are in the same superblock.
// EXPECT: FalseSharing force 'Several threads add to the same parts of force: give each thread a copy of its own.*.OpenMP: reduction.+: force\[:120\]' openmp combined
enum { COUNT = 120, STEPS = 3 };
static double place[COUNT] __attribute__((aligned(64))), force[COUNT] __attribute__((aligned(64)));

int main(void) {
    for (int i = 0; i < COUNT; ++i) place[i] = i * 37 % 101;
    for (int step = 0; step < STEPS; ++step) {
#ifdef MENDED
#pragma omp parallel for num_threads(4) reduction(+ : force)
#else
#pragma omp parallel for num_threads(4)
#endif
        for (int i = 0; i < COUNT; ++i)
            for (int k = i + 1; k < COUNT; ++k) {
                const double apart = place[i] - place[k], pull = apart / (apart * apart + 1);
#ifndef MENDED
#pragma omp atomic
#endif
                force[i] += pull;
#ifndef MENDED
#pragma omp atomic
#endif
                force[k] -= pull;
            }
        for (int i = 0; i < COUNT; ++i) place[i] += 0.001 * force[i], force[i] = 0;
    }
    return place[0] == 0;
}
