// SPDX-License-Identifier: GPL-2.0-or-later
// Each thread has an element of an array that is a member of a variable on main's stack, behind what all read.
// EXPECT: FalseSharing 'state of main' 'Pad each element of state.done of main .8 bytes. to 64 .*around each long.*To change: state of main .stack_elements.c:[0-9]+'
#include "../../include/workers.h"
struct slot {
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long n;
};
struct state {
    volatile int rounds;
#ifdef MENDED
    struct slot done[4];
#else
    volatile long done[4];
#endif
};
static struct state* shared;

static void work(int index) {
    for (int i = 0; i < shared->rounds; ++i) {
#ifdef MENDED
        shared->done[index].n++;
#else
        shared->done[index]++;
#endif
    }
}

int main(void) {
    struct state state = {20000, {0}};
    shared = &state;
    run_together(4, work);
#ifdef MENDED
    return state.done[3].n == 20000 ? 0 : 1;
#else
    return state.done[3] == 20000 ? 0 : 1;
#endif
}
