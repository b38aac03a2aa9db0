// SPDX-License-Identifier: GPL-2.0-or-later
// Threads copy one shared pointer for each use. Mended, each has a count of its own for its copies.
// EXPECT: TrueSharing own 'hold one reference for many uses'
#include <memory>

#include "../../include/workers.h"

struct Table {
    char before[LINE];
    long values[16];
    char after[LINE];
};
// Deletes nothing. It lies beside the count, which so has a line of its own.
struct Keep {
    char apart[2 * LINE];
    void operator()(Table*) const {}
};
static std::shared_ptr<Table> table(new Table);
alignas(LINE) static std::shared_ptr<Table> own[4][4];
alignas(LINE) static volatile long sums[4][8];

static void work(int index) {
    for (int i = 0; i < 1500; ++i) {
        std::shared_ptr<Table> held = own[index][0];
        volatile int other = 0;
        for (int n = 0; n < 8; ++n) other = other + n;
        sums[index][0] = sums[index][0] + held->values[i % 16];
    }
}

int main() {
    for (int i = 0; i < 4; ++i)
#ifdef MENDED
        own[i][0] = std::shared_ptr<Table>(table.get(), Keep());
#else
        own[i][0] = table;
#endif
    run_together(4, work);
    return 0;
}
