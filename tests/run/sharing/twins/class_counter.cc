// SPDX-License-Identifier: GPL-2.0-or-later
// A class counts its calls in an atomic member, behind its name.
// EXPECT: TrueSharing metrics 'metrics.*hits_: keep a copy for each thread'
#include <atomic>

#include "../../include/workers.h"

class Metrics {
public:
    void hit() { hits_.fetch_add(1, std::memory_order_relaxed); }
    long hits() const { return hits_.load(); }

private:
    char name_[40] = "metrics";
    std::atomic<long> hits_{0};
};
#ifdef MENDED
alignas(LINE) static Metrics metrics[4][4];
#else
alignas(LINE) static Metrics metrics[1][4];
#endif
alignas(LINE) static volatile long sums[4][8];

static void work(int index) {
    Metrics& mine = metrics[index % (sizeof metrics / sizeof metrics[0])][0];
    for (int i = 0; i < 1500; ++i) {
        mine.hit();
        volatile int other = 0;
        for (int n = 0; n < 8; ++n) other = other + n;
        sums[index][0] = sums[index][0] + i;
    }
}

int main() {
    run_together(4, work);
    return metrics[0][0].hits() == 0;
}
