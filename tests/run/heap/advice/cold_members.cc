// SPDX-License-Identifier: GPL-2.0-or-later
// A simulation moves particles; their names and origins are for a report at the end, of one of them.
#include <cstdio>
#include <cstring>
#include <vector>

struct Origin {
    char name[40];
    double at[3];
};
struct Particle {
    double x, v;
#ifndef FIXED
    Origin origin;
#endif
};

int main() {
    const size_t count = 2000;
    std::vector<Particle> particles(count);  // ADVICE: cold: part Particle
#ifdef FIXED
    std::vector<Origin> origins(count);
#endif
    for (size_t i = 0; i < count; ++i) {
        particles[i].x = static_cast<double>(i);
        particles[i].v = 1;
#ifdef FIXED
        Origin& origin = origins[i];
#else
        Origin& origin = particles[i].origin;
#endif
        snprintf(origin.name, sizeof origin.name, "particle %zu", i);
        origin.at[0] = static_cast<double>(i);
    }
    for (int step = 0; step < 50; ++step)
        for (Particle& particle : particles) particle.x += particle.v * .1;
#ifdef FIXED
    printf("%g %s\n", particles[7].x, origins[7].name);
#else
    printf("%g %s\n", particles[7].x, particles[7].origin.name);
#endif
}
