// SPDX-License-Identifier: GPL-2.0-or-later
// Importance sampling.
#include <gsl/gsl_monte_vegas.h>
static double f(double* x, size_t d, void* p) {
    double s = 0;
    for (size_t i = 0; i < d; i++) s += x[i] * x[i];
    return 1 / (1 + s);
}
int main(void) {
    double l[4] = {0}, u[4] = {1, 1, 1, 1}, r, e;
    gsl_monte_function F = {f, 4, 0};
    gsl_rng* g = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_monte_vegas_state* s = gsl_monte_vegas_alloc(4);
    gsl_monte_vegas_integrate(&F, l, u, 4, 20000, g, s, &r, &e);
    return r < 0;
}
