// SPDX-License-Identifier: GPL-2.0-or-later
// Small objects of threads, made one after another in memory of a pool.
// EXPECT: FalseSharing . '.'
#include <cstdlib>
#include <new>
#include "../../include/workers.h"
struct
#ifdef MENDED
    alignas(64)
#endif
        Tasks {
    volatile long done = 0, failed = 0;
};
static Tasks* workers[4];

static void work(int index) {
    for (int i = 0; i < 4000; ++i) {
        workers[index]->done = workers[index]->done + 1;
        if (i % 3 == 0) workers[index]->failed = i;
    }
}

int main() {
    char* const memory = static_cast<char*>(std::aligned_alloc(64, 1024));
    for (int i = 0; i < 4; ++i) workers[i] = new (memory + i * sizeof(Tasks)) Tasks;
    run_together(4, work);
    const bool fine = workers[0]->done == 4000;
    std::free(memory);
    return fine ? 0 : 1;
}
