// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: arrays that a function template allocates go by the lines that call it, and so by their variables
// COMPILE: gcc -O0 -O2 -pthread
// SET: COUNT=20000
// SHARING: FalseSharing text="heap block force of main .allocating_template.cc:[0-9]+"
// SHARING: FalseSharing text="heap block mass of main .allocating_template.cc:[0-9]+"
#include <cstddef>
#include <cstdlib>

#include "workers.h"

template <typename T>
static T* allocate(std::size_t count) {
    return static_cast<T*>(std::malloc(sizeof(T) * count));
}

static long *forces, *masses;

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        INCREMENT(forces[index]);
        INCREMENT(masses[index]);
    }
}

int main() {
    long* const force = allocate<long>(8);
    char* const between = allocate<char>(4096);
    long* const mass = allocate<long>(8);
    ESCAPE(between);
    for (int i = 0; i < 8; ++i) force[i] = mass[i] = 0;
    forces = force;
    masses = mass;
    run_together(3, work);
    std::free(between);
    return 0;
}
