// SPDX-License-Identifier: GPL-2.0-or-later
// Two pairs of threads count in a block each, which two calls of one line allocate, as compilers make it of a loop. Either block
// alone saves nothing, because the run ends with the other pair.
// EXPECT: FalseSharing made 'lines of their own'
#include <string.h>

#include "../../include/workers.h"
struct pair {
    volatile long one;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long other;
};
static struct pair* pairs[2];

static void work(int index) {
    volatile long* const count = index % 2 == 0 ? &pairs[index / 2]->one : &pairs[index / 2]->other;
    for (int i = 0; i < 5000; ++i) {
        pass_time(20);
        ++*count;
    }
}

static inline __attribute__((always_inline)) struct pair* make(void) {
    struct pair* made = aligned_alloc(LINE, (sizeof *made + LINE - 1) / LINE * LINE);
    memset(made, 0, sizeof *made);
    return made;
}

int main(void) {
    pairs[0] = make(), pairs[1] = make();
    run_together(4, work);
    return pairs[0]->one + pairs[1]->other == 10000 ? 0 : 1;
}
