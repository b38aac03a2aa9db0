// SPDX-License-Identifier: GPL-2.0-or-later
// A table of lists: thread n adds to lists n, n + 4, ...
// EXPECT: FalseSharing heads '.'
#include "../../include/workers.h"
enum { THREADS = 4, LISTS = 32 };
struct Head {
    void* volatile first;
    volatile long size;
#ifdef MENDED
    char apart[48];
#endif
};
alignas(LINE) static Head heads[LISTS];

static void work(int index) {
    for (int i = 0; i < 100; ++i)
        for (int list = index; list < LISTS; list += THREADS) {
            heads[list].first = &heads[list];
            heads[list].size = heads[list].size + 1;
        }
}

int main() {
    run_together(THREADS, work);
    return 0;
}
