// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: each element is copied, for two of its members. FIXED: a reference.
#include <cstdio>
#include <vector>

struct Particle {
    double place[3], speed[3], charge, mass;
    int kind, cell;
};

__attribute__((noinline)) static double mass_of(const std::vector<Particle> &all, int kind) {
    double mass = 0;
#ifdef FIXED
    for (const auto &p : all)
#else
    for (auto p : all) // WASTE: whole variable
#endif
    {
        __asm__ volatile("" : : "r"(&p) : "memory"); // its address is known elsewhere
        if (p.kind == kind)
            mass += p.mass;
    }
    return mass;
}

int main() {
    std::vector<Particle> all;
    for (int i = 0; i < 500; ++i)
        all.push_back({{1, 2, 3}, {0, 0, 1}, 1, 1.5, i % 7, 0});
    double mass = 0;
    for (int step = 0; step < 100; ++step)
        mass += mass_of(all, step % 7);
    std::printf("%g\n", mass);
}
