// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread sets its flags in a vector of bytes.
// EXPECT: FalseSharing . '.'
#include <vector>
#include "../../include/workers.h"
enum { THREADS = 4, FLAGS = 10 };
#ifdef MENDED
enum { PITCH = 64 };
#else
enum { PITCH = FLAGS };
#endif
struct alignas(64) Chunk {
    unsigned char flags[64];
};
static std::vector<Chunk>* chunks;

static void work(int index) {
    volatile unsigned char* const mine = &(*chunks)[0].flags[0] + index * PITCH;
    for (int i = 0; i < 600; ++i)
        for (int k = 0; k < FLAGS; ++k) mine[k] = static_cast<unsigned char>(mine[k] + 1);
}

int main() {
    chunks = new std::vector<Chunk>(THREADS);
    run_together(THREADS, work);
    const bool fine = (*chunks)[0].flags[0] != 1;
    delete chunks;
    return fine ? 0 : 1;
}
