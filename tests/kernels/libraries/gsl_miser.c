// SPDX-License-Identifier: GPL-2.0-or-later
// Stratified sampling.
#include <gsl/gsl_monte_miser.h>
#include <math.h>
static double f(double* x, size_t d, void* p) { return 1 / (1 - cos(x[0]) * cos(x[1]) * cos(x[2])); }
int main(void) {
    double l[3] = {0}, u[3] = {M_PI, M_PI, M_PI}, r, e;
    gsl_monte_function F = {f, 3, 0};
    gsl_rng* g = gsl_rng_alloc(gsl_rng_taus2);
    gsl_monte_miser_state* s = gsl_monte_miser_alloc(3);
    gsl_monte_miser_integrate(&F, l, u, 3, 40000, g, s, &r, &e);
    return r < 0;
}
