// SPDX-License-Identifier: GPL-2.0-or-later
// A sum of doubles, which is exchanged until nobody has come between.
// EXPECT: TrueSharing total '.'
#include <atomic>

#include "../../include/workers.h"
#ifdef MENDED
alignas(LINE) static std::atomic<double> total[4][8];
#else
alignas(LINE) static std::atomic<double> total[1][8];
#endif

static void add(std::atomic<double>& to, double value) {
    double known = to.load();
    while (!to.compare_exchange_weak(known, known + value)) {
    }
}

static void work(int index) {
    std::atomic<double>& to = total[index % (sizeof total / sizeof total[0])][0];
    for (int i = 0; i < 1200; ++i) {
        pass_time(25);
        add(to, i * 0.5);
    }
}

int main() {
    run_together(4, work);
    return total[0][0] == 0;
}
