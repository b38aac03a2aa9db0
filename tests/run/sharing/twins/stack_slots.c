// SPDX-License-Identifier: GPL-2.0-or-later
// Workers get places in an array on the stack of main.
// EXPECT: FalseSharing 'slots of main' 'Pad each element of slots of main .24 bytes. to 64'
#include "../../include/workers.h"
struct Slot {
    volatile int low, high;
    volatile double sum, squares;
#ifdef MENDED
    char apart[40];
#endif
};
static struct Slot* LINE_ALIGNED given;

static void work(int index) {
    struct Slot* mine = &given[index];
    for (int i = 0; i < 700; ++i) {
        if (mine->low > -i) mine->low = -i;
        mine->sum += i;
        mine->squares += i * i;
    }
}

int main(void) {
    struct Slot slots[5] LINE_ALIGNED = {{0}};
    given = slots;
    run_together(5, work);
    return 0;
}
