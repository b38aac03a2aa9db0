// SPDX-License-Identifier: GPL-2.0-or-later
// A wrapper allocates arrays that a class has as members; one has an element for each thread.
// EXPECT: FalseSharing Domain 'Pad each element of .*8 bytes. to 64|Pad each element of 8 bytes to 64'
#include <cstdlib>

#include "../../include/workers.h"

template <typename T>
static T* allocate(size_t n) {
    return static_cast<T*>(aligned_alloc(LINE, (n * sizeof(T) + LINE - 1) / LINE * LINE));
}
#ifdef MENDED
enum { STEP = 8 };
#else
enum { STEP = 1 };
#endif
struct Domain {
    Domain() : x(allocate<double>(64)), dt(allocate<double>(4 * STEP)) {
        for (int i = 0; i < 4 * STEP; ++i) dt[i] = 0;
    }
    volatile double* x;
    volatile double* dt;
};
static Domain* domain;

static void work(int index) {
    for (int i = 0; i < 1500; ++i) {
        volatile int other = 0;
        for (int n = 0; n < 8; ++n) other = other + n;
        domain->dt[index * STEP] = domain->dt[index * STEP] + i;
    }
}

int main() {
    domain = new Domain;
    run_together(4, work);
    return 0;
}
